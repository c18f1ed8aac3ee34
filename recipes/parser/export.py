"""Make the shipped folder of a trained run: medical tokenizer rules in, names and leftovers out.

    python -m recipes.parser.export RUN/best fas/models/fas_en_mini --scores RUN/scores.json

The weights are not touched. Only strings that the pipeline itself needs are kept (labels and the parts of edit
trees); the words of the training texts go, and the vectors are found by hash.
"""

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import spacy
from recipes.parser.augment import SPACE_TAG
from spacy.attrs import ORTH
from spacy.util import compile_infix_regex, compile_prefix_regex
from recipes.parser.vectors import save_pipeline

KEEP = {"README.md", "__init__.py"}

ABBREVIATIONS = (
    "b.i.d.", "t.i.d.", "q.i.d.", "q.d.", "q.h.s.", "q.o.d.", "p.o.", "p.r.n.", "i.v.", "i.m.", "s.c.", "s.l.", "a.c.", "p.c.",
    "h.s.", "approx.", "incl.", "resp.", "Fig.", "Figs.", "fig.", "figs.", "al.", "ca.", "cf.", "Prof.", "I.V.", "I.M.", "B.I.D.", "T.I.D.", "Q.I.D.", "P.O.", "P.R.N.", "S.C.",
)  # fmt: skip
WHOLE = (">=", "<=", "≥", "≤", "+/-", "<->", "->", "=>")
UNITS = "mg|mcg|µg|μg|ug|ng|kg|g|mL|ml|µL|dL|dl|L|IU|mmol|mol|mEq|meq|units?|tablets?|capsules?|mmHg|cm|mm|mM|nM"


def medical_tokenizer(nlp: Any) -> None:
    """Keep dose abbreviations whole, and take doses and comparisons apart as the treebanks do.

    "5mg/day" is 5 mg / day, "p<0.05" is p < 0.05, "≥65" is ≥ 65, "mL/min/1.73" ends in / 1.73.
    """
    for text in ABBREVIATIONS + WHOLE:
        nlp.tokenizer.add_special_case(text, [{ORTH: text}])
    infixes = [
        *nlp.Defaults.infixes,
        rf"(?<=\d)(?=(?:{UNITS})(?:/|$))",
        r"(?<=[A-Za-z])[<>=≤≥≈±](?=[\d.−-])",
        r"(?<=\d)±(?=\d)",
        r"(?<=[a-zA-Z])/(?=\d)",
    ]
    nlp.tokenizer.infix_finditer = compile_infix_regex(infixes).finditer
    nlp.tokenizer.prefix_search = compile_prefix_regex([*nlp.Defaults.prefixes, "[≥≤≈±∼]", r"[<>=](?=[\d.])"]).search


def needed_strings(nlp: Any) -> list[str]:
    """Labels of all components, and the strings that the lemmatizer's edit trees are made of."""
    strings = {str(label) for _, pipe in nlp.pipeline for label in getattr(pipe, "labels", ())} | {"ROOT", SPACE_TAG}
    trees = nlp.get_pipe("lemmatizer").trees
    for i in range(len(trees)):
        strings |= {nlp.vocab.strings[trees[i][key]] for key in ("orig", "subst") if key in trees[i]}
    return sorted(strings - {""})


def main() -> int:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--scores", type=Path, help="JSON written by evaluate_parser.py, kept in meta.json")
    parser.add_argument("--drop", action="append", default=[], help="a component to leave out (senter: see README.md)")
    parser.add_argument("--version", default="3")
    args = parser.parse_args()

    nlp = spacy.load(args.model)
    for name in args.drop:
        nlp.remove_pipe(name)
    medical_tokenizer(nlp)
    nlp.config["training"] = {}
    nlp.config["initialize"] = {}
    nlp.meta.update(
        name="fas-en-mini",
        version=args.version,
        description="Tags, Universal Dependencies, lemmas and sentences for English medical answers",
        license="CC BY-SA 4.0",
        spacy_version=">=3.8.7,<3.9.0",
        sources=[
            {"name": "UD English EWT", "license": "CC BY-SA 4.0"},
            {"name": "CRAFT dependency treebank", "license": "CC BY 3.0"},
        ],
    )
    args.out.mkdir(parents=True, exist_ok=True)
    if not (args.out / "meta.json").is_file() and any(old.name not in KEEP for old in args.out.iterdir()):
        parser.error(f"{args.out}: holds files of no model; name another folder")
    for old in args.out.iterdir():
        if old.name not in KEEP:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    save_pipeline(nlp, args.out)
    strings = args.out / "vocab" / "strings.json"
    strings.write_text(json.dumps(needed_strings(nlp)), encoding="utf-8")
    meta = json.loads((args.out / "meta.json").read_text(encoding="utf-8"))
    meta["performance"] = json.loads(args.scores.read_text(encoding="utf-8")) if args.scores else {}
    (args.out / "meta.json").write_text(json.dumps(meta, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    size = sum(p.stat().st_size for p in args.out.rglob("*") if p.is_file())
    print(f"{size / 1e6:.2f} MB in {args.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
