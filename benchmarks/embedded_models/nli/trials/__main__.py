"""Print some pairs, to be read."""

from __future__ import annotations

from preview import preview

from . import trial_pairs

if __name__ == "__main__":
    preview(trial_pairs)
