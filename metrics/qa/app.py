"""The metric as a web page: `python app.py` (needs gradio)."""

from fas.integrations.evaluate_modules.page import build

EXAMPLE = [{"prediction": "the BRCA1 gene", "references": ["BRCA1", "BRCA1 gene"]}]

if __name__ == "__main__":
    build("qa", EXAMPLE).launch()
