"""Scores inside harnesses and engines of others: Inspect AI, lm-evaluation-harness, MLflow, Ray."""
