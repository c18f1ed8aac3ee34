"""Sentences of a text and windows of sentences, by rule."""
