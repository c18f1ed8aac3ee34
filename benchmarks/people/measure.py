"""Do metrics follow people? Every judged set at hand, every metric, paired differences.

    python -m benchmarks.people.measure --data DATA --work runs/people      score, write people.json and README.md
    python -m benchmarks.people.measure --page                              the page alone, from people.json

An interrupted scoring resumes. `--only SET` measures one set again, `--limit N` draws other than the usual number
of units. The draw has a seed.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.people.material import drawn
from benchmarks.people.scoring import score
from benchmarks.people.sets import SETS
from benchmarks.people.tables import correlations, page
from benchmarks.tables import write
from fas.report.tables import json_ready

HERE = Path(__file__).parent
STORED, PAGE = HERE / "people.json", HERE / "README.md"
SEED = 20261125


def pages() -> dict[Path, str]:
    """The page of the stored results."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    return {PAGE: page({one.name: stored[one.name] for one in SETS if one.name in stored})}


def main() -> None:
    """Measure unless the page alone is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with the sets, one folder each")
    parser.add_argument("--work", type=Path, default=Path("runs/people"), help="folder of the runs")
    parser.add_argument("--only", nargs="+", choices=[one.name for one in SETS], help="only these sets")
    parser.add_argument("--limit", type=int, help="units of each set, drawn by question")
    parser.add_argument("--page", action="store_true", help="only write the page from what is stored")
    options = parser.parse_args()
    stored: dict[str, Any] = json.loads(STORED.read_text(encoding="utf-8")) if STORED.is_file() else {}
    for one in SETS if not options.page else ():
        if options.only and one.name not in options.only:
            continue
        whole = one.read(options.data)
        material = drawn(whole, options.limit or one.limit, SEED, one.most)
        found = score(material, options.work / one.name, one.settings, SEED)
        stored[one.name] = json_ready(
            {
                "title": one.title,
                "level": one.level,
                "n_all": len(whole.units),
                "n_rows": len(material.rows),
                "errors": found["errors"],
                "signatures": found["signatures"],
                "gold": correlations(material.units, found["values"]),
            }
        )
        STORED.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
        print(one.name, flush=True)
    write(pages())


if __name__ == "__main__":
    main()
