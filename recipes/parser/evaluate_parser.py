"""Measure a parser on given tokens, ten sentences to a document, with spaCy's scorer for tags and sentences.

    python -m recipes.parser.evaluate_parser MODEL [MODEL ...] [--test] [--json scores.json]

Without ``--test`` only the development parts are read. CRAFT's held-out articles are scored by their manual tags,
and by attachment where `convert.to_ud` gives a tree.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recipes.parser.augment import Rates, augment, to_example
from recipes.parser.convert import to_ud
from recipes.parser.statements import statements
from recipes.parser.treebanks import Sentence, craft, ewt, gum

ANSWER = Rates(lower=0.3, items=0.4, bold=0.4, drop_stop=0.2, line_break=0.2, paragraph=0.5)
"""Answer-like EWT dev: far more of each change than in training, from another seed."""


def tens(sentences: Sequence[Sentence], size: int = 10) -> list[list[Sentence]]:
    """Consecutive sentences, ten to a document, as ``spacy convert --n-sents 10`` groups them."""
    return [list(sentences[i : i + size]) for i in range(0, len(sentences), size)]


def measure(nlp: Any, sentences: Sequence[Sentence], name: str, trees: bool = True) -> dict[str, float]:
    """Scores of ``nlp`` on gold tokens.

    ``tag`` is accuracy, ``sent_f`` the F1 of whole sentences, ``uas`` and ``las`` leave punctuation out (spaCy's
    convention), ``uas_all`` and ``las_all`` count every token (the convention of the UD shared tasks).
    """
    from spacy.scorer import Scorer

    examples = [to_example(nlp.vocab, group) for group in tens(sentences)]
    for example, doc in zip(examples, nlp.pipe([e.predicted for e in examples]), strict=True):
        example.predicted = doc
    tags = Scorer.score_token_attr(examples, "tag")
    spans = Scorer.score_spans(examples, "sents", getter=lambda doc, _: doc.sents, has_annotation=lambda doc: True)
    lemmas = [(p.lemma_, g.lemma_) for e in examples for p, g in zip(e.predicted, e.reference, strict=True) if g.lemma_]
    scores = {
        f"{name}_tag": tags["tag_acc"],
        f"{name}_sent_f": spans["sents_f"],
        f"{name}_lemma": sum(p == g for p, g in lemmas) / max(1, len(lemmas)),
    }
    if trees:
        deps = _attachment(examples)
        scores |= {f"{name}_{k}": v for k, v in deps.items()}
    return {k: round(float(v), 4) for k, v in scores.items()}


def _attachment(examples: list[Any]) -> dict[str, float]:
    total = right = labelled = total_all = right_all = labelled_all = 0
    for example in examples:
        for p, g in zip(example.predicted, example.reference, strict=True):
            head = p.head.i == g.head.i
            both = head and p.dep_ == g.dep_
            total_all += 1
            right_all += head
            labelled_all += both
            if g.dep_ not in ("punct", "p"):
                total += 1
                right += head
                labelled += both
    return {
        "uas": right / total,
        "las": labelled / total,
        "uas_all": right_all / total_all,
        "las_all": labelled_all / total_all,
    }


def answer_like(sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences with markers, line breaks, lower case and missing full stops put in at a fixed seed."""
    rng = random.Random(99)
    return [s for group in tens(sentences) for s in augment(group, rng, ANSWER)]


def speed(nlp: Any, sentences: Sequence[Sentence]) -> float:
    """Words per second of processor time, best of three, in documents of ten sentences."""
    examples = [to_example(nlp.vocab, group).predicted for group in tens(sentences)]
    words = sum(len(doc) for doc in examples)
    best = 0.0
    for _ in range(3):
        docs = [doc.copy() for doc in examples]
        start = time.process_time()
        for _ in nlp.pipe(docs):
            pass
        best = max(best, words / (time.process_time() - start))
    return best


def main() -> int:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--test", action="store_true", help="read the test parts too")
    parser.add_argument("--json", type=Path, help="write the scores of the last model here")
    args = parser.parse_args()
    import spacy

    parts: list[tuple[str, list[Sentence], bool]] = [
        ("ewt_dev", ewt("dev"), True),
        ("ewt_dev_answer_like", answer_like(ewt("dev")), True),
        ("gum_dev", gum("dev"), True),
        ("craft_dev", craft("dev"), False),
        ("made_dev", statements("dev", 300, 7), True),
    ]
    if args.test:
        trees = [tree for s in craft("test") if (tree := to_ud(s)) is not None]
        parts += [
            ("ewt_test", ewt("test"), True),
            ("craft_test", craft("test"), False),
            ("craft_test_trees", trees, True),
        ]
    rows: dict[str, float] = {}
    for path in args.models:
        nlp = spacy.load(path)
        rows = {}
        for name, sentences, has_trees in parts:
            rows |= measure(nlp, sentences, name, has_trees)
        rows["words_per_second"] = round(speed(nlp, ewt("dev")))
        rows["megabytes"] = round(sum(p.stat().st_size for p in path.rglob("*") if p.is_file()) / 1e6, 2)
        print(f"\n{path}")
        print(f"{'':22}" + "".join(f"{k:>9}" for k in ("tag", "lemma", "uas", "las", "uas_all", "las_all", "sent_f")))
        for name, _, _ in parts:
            cells = (rows.get(f"{name}_{k}") for k in ("tag", "lemma", "uas", "las", "uas_all", "las_all", "sent_f"))
            print(f"{name:22}" + "".join(f"{'-' if c is None else format(c, '.4f'):>9}" for c in cells))
        print(f"{rows['words_per_second']:,} words/s on one core, {rows['megabytes']} MB", flush=True)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
