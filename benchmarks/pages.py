"""All pages that are made of stored results.

    python -m benchmarks.pages            # write them anew; nothing is measured
    python -m benchmarks.pages --check    # name the pages that differ from the stored results

Each module below has `pages()`: the text of its pages by path, with tables made of the results stored beside it.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

from benchmarks.tables import write

MODULES = (
    "adjust.real",
    "adjust.simulate",
    "bioasq.exact",
    "claims.agreement",
    "claims.page",
    "coverage.page",
    "detectors.measure",
    "leaf.measure",
    "people.measure",
    "retrieval.page",
    "rewards.measure",
    "safety.page",
    "scale.page",
    "speed.page",
    "study.language_model",
    "study.report",
)


def pages(module: str) -> dict[Path, str]:
    """The text of the pages of *module*, by path."""
    made: dict[Path, str] = import_module(f"benchmarks.{module}").pages()
    return made


def different(module: str) -> list[Path]:
    """The pages of *module* that differ from the stored results."""
    return [path for path, text in pages(module).items() if path.read_text(encoding="utf-8") != text]


def main() -> None:
    """Write or check them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 if a page differs")
    check = parser.parse_args().check
    found = []
    for module in MODULES:
        found += [f"{path.relative_to(Path.cwd())}: python -m benchmarks.{module}" for path in different(module)]
        if not check:
            write(pages(module))
    print("\n".join(found) or "every page is what is stored")
    raise SystemExit(1 if check and found else 0)


if __name__ == "__main__":
    main()
