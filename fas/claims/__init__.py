"""Claim extractors: spaCy clauses, language-model decomposers, filters."""
