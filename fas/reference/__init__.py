"""Reference metrics: ROUGE, BLEU, BERTScore, exact match and token F1."""
