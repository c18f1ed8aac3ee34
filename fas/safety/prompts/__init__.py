"""Prompts of the safety reader as files."""
