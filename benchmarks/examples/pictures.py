"""The pictures of pages in `docs/pictures`: `python -m benchmarks.examples.pictures RUNS`, with Chromium.

RUNS is a folder that holds two runs of the examples, `out-a` and `out-b`, as `docs/how-to/tables.md` makes them. The
stored pictures have 64 colours (`Image.open(NAME).convert("RGB").quantize(64, dither=0).save(NAME)` of Pillow).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from fas.report.compare_page import write_comparison
from fas.report.run_list import list_runs, write_index
from fas.report.systems import compare_systems

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
SIZE = (1200, 1240)


def take_picture(page: Path, out: Path) -> None:
    """Write the top of *page*, as a window of `SIZE` shows it, to the PNG file *out*.

    Raises:
        RuntimeError: There is no Chromium, or it wrote nothing.
    """
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        raise RuntimeError("no Chromium on this machine")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={SIZE[0]},{SIZE[1]}"]
    command = [chromium, *options, f"--screenshot={out}", page.resolve().as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode or not out.is_file():
        raise RuntimeError(f"{page}: no picture: {done.stderr[-500:]}")


def main(runs: Path) -> None:
    """Take the pictures of the report, the comparison and the list of runs."""
    folders = [runs / "out-a", runs / "out-b"]
    pages = {
        "report": folders[0] / "report.html",
        "comparison": write_comparison(compare_systems(folders, pairs="all"), runs / "comparison.html"),
        "runs": write_index(list_runs(runs)),
    }
    for name, page in pages.items():
        take_picture(page, PICTURES / f"{name}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
