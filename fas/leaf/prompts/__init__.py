"""Prompts that ask a language model to answer a question, with and without knowledge."""
