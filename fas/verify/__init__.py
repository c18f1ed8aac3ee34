"""Verifiers: NLI cross-encoders, word overlap, language models."""
