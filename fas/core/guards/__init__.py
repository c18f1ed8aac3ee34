"""Protect the user's files, terminal and secrets from untrusted content."""
