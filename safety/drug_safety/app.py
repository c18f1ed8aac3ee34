"""The measurement as a web page: `python app.py` (needs gradio)."""

from fas.integrations.evaluate_modules.page import build

EXAMPLE = [{"prediction": "Propranolol 40 mg twice daily is a good choice.", "question": "I have asthma and migraine."}]

if __name__ == "__main__":
    build("drug_safety", EXAMPLE).launch()
