"""Prompts that ask a language model what to search for."""
