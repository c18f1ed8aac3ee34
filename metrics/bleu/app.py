"""The metric as a web page: `python app.py` (needs gradio)."""

from fas.integrations.evaluate_modules.page import build

EXAMPLE = [{"prediction": "Aspirin lowers the risk of stroke.", "references": ["Aspirin reduces stroke risk."]}]

if __name__ == "__main__":
    build("bleu", EXAMPLE).launch()
