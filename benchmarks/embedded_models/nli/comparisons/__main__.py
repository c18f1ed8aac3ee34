"""Print some pairs, to be read."""

from __future__ import annotations

from benchmarks.embedded_models.nli.preview import preview

from . import comparison_pairs

if __name__ == "__main__":
    preview(comparison_pairs)
