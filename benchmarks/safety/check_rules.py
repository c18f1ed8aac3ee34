"""How many contraindication rows have their term in that ingredient's label text.

    FAS_DATA_DIR=... python -m benchmarks.safety.check_rules

Reads label texts from `safety/openfda_labels_pharmgkb` and `safety/matrix_contraindications`
of the data folder (not part of the project), and for every row of `contraindications.tsv`
looks for the condition's label terms in the section the row names. It is a check of terms, not
a review: a term can stand in a section for another reason. The result is compared with the
column `label_check`; a row that claims `found` and is not found makes the exit code 1.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

from fas.safety.columns import CONDITION_COLUMNS, RULE_COLUMNS
from fas.safety.matcher import DrugMatcher
from fas.safety.rules import read_rules, rule_folder
from fas.safety.tables import read_table
from fas.safety.text import normalise_text

Texts = dict[str, dict[str, list[str]]]


def label_texts(data: Path, matcher: DrugMatcher) -> Texts:
    """Ingredient to section to label texts; labels of combinations count for each ingredient."""
    texts: Texts = defaultdict(lambda: defaultdict(list))

    def put(name: str, section: str, text: str) -> None:
        if text:
            for mention in matcher.find(normalise_text(name)):
                for ingredient in mention.ingredients:
                    texts[ingredient][section].append(text)

    with gzip.open(data / "openfda_labels_pharmgkb" / "labels.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            label = json.loads(line)
            names = label["generic_name"] if isinstance(label["generic_name"], list) else [label["generic_name"] or ""]
            for name in names:
                put(name, "contraindication", " ".join(label.get("contraindications") or []))
                put(name, "boxed_warning", " ".join(label.get("boxed_warning") or []))
    csv.field_size_limit(10**9)
    path = data / "matrix_contraindications" / "fda_label_contraindication_text.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            put(row["active ingredient"], "contraindication", row["contraindications"])
    return texts


def main() -> int:
    """Check every row and print the counts."""
    data = Path(os.environ.get("FAS_DATA_DIR", Path(__file__).resolve().parents[3] / "shared" / "data")) / "safety"
    if not data.is_dir():
        print(f"no label texts in {data}; set FAS_DATA_DIR to the data folder", file=sys.stderr)
        return 2
    folder = rule_folder()
    book = read_rules(folder)
    texts = label_texts(data, DrugMatcher(book.vocabulary, stop=book.stop))
    terms = {row["key"]: row["label_terms"] for row in read_table(folder / "conditions.tsv", CONDITION_COLUMNS)}
    rows = read_table(folder / "contraindications.tsv", RULE_COLUMNS["contraindications"], unique="id")
    result: Counter[str] = Counter()
    broken = []
    for row in rows:
        sections = [text for name in (row["drug"],) for text in texts[name][row["section"]]]
        pattern = re.compile(terms[row["target"]], re.IGNORECASE)
        outcome = (
            "no_label" if not sections else "found" if any(pattern.search(text) for text in sections) else "not_found"
        )
        result[outcome] += 1
        if row["label_check"] == "found" and outcome != "found":
            broken.append(f"{row['id']} {row['drug']} x {row['target']}: claims found, is {outcome}")
    ingredients = {row["drug"] for row in rows}
    share = result["found"] / len(rows)
    print(f"{len(rows)} rows over {len(ingredients)} ingredients; {dict(result)}; term found in {share:.1%}")
    for line in broken:
        print(line)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
