"""Labelled verdicts, and the verifiers that are taught and calibrated on them."""
