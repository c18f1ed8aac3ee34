"""Scores inside the harnesses of others: Inspect AI, lm-evaluation-harness, MLflow."""
