"""From claims with what was found for them to verdicts."""
