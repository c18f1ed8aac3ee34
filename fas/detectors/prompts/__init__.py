"""Prompts of the detectors as files."""
