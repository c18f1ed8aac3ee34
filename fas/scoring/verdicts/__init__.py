"""From claims and their passages to verdicts."""
