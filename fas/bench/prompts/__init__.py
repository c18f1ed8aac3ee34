"""Prompts that ask a model to answer a benchmark's question."""
