"""The metric as a web page: `python app.py` (needs gradio)."""

from fas.integrations.evaluate_modules.page import build

EXAMPLE = [
    {
        "prediction": "Aspirin lowers the risk of stroke.",
        "passages": ["In this trial, aspirin lowered the risk of stroke."],
    }
]

if __name__ == "__main__":
    build("contra_at_k", EXAMPLE).launch()
