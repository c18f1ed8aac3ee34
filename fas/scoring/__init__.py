"""From verdicts to counts, scores, reports and the signature."""
