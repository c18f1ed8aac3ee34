"""Verifiers: NLI cross-encoders."""
