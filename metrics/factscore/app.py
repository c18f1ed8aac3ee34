"""The metric as a web page: `python app.py` (needs gradio, and a language model: OPENAI_API_KEY or OPENAI_BASE_URL)."""

from fas.integrations.evaluate_modules.page import build

EXAMPLE = [
    {
        "prediction": "Ibuprofen lowers fever. It was first sold in 1969.",
        "passages": ["Ibuprofen lowers fever in children and adults."],
    }
]

if __name__ == "__main__":
    build("factscore", EXAMPLE).launch()
