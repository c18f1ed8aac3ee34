"""The metric as a web page: `python app.py` (needs gradio)."""

from fas.integrations.evaluate_modules.page import build

EXAMPLE = [
    {
        "prediction": "Aspirin thins the blood.",
        "references": ["Aspirin thins the blood. It can cause stomach bleeding."],
    }
]

if __name__ == "__main__":
    build("coverage", EXAMPLE).launch()
