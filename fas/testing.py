"""For tests of one's own: `assert_scores` holds a report against limits."""

from fas.scoring.limits import assert_scores, failures

__all__ = ["assert_scores", "failures"]
