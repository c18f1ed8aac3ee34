"""The usual range of each embedded verifier on assay controls: the least and the greatest rate on panels of other evidence.

    python -m benchmarks.controls.measure        # about five minutes; needs FAS_DATA_DIR

The panels are made of the passages of the examples, of PubMedQA's abstracts, BioASQ's snippets and
SciFact's abstracts, two disjoint panels of each of the last three; questions of the labelled verdicts, whose passages taught
the verifiers, are left out. Writes `fas/pipeline/runs/controls.tsv`.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path

from benchmarks.verdicts.labels import CASES, HERE, read_rows
from fas.bench.controls import make_panel
from fas.core.files.plain import json_lines
from fas.core.profile import load_profile
from fas.core.records import Case, Claim, Passage
from fas.core.records.signature import PartSignature
from fas.pipeline import Pipeline
from fas.pipeline.runs import controls

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "fas" / "pipeline" / "runs" / "controls.tsv"
PROFILES = ("mini",)
N = 150
"""Questions of a panel."""


def panels(data: Path) -> Iterator[tuple[str, list[Case]]]:
    """Name and cases of each panel: claims are sentences of reference answers, or the data set's own claims."""
    rows = [row for _, row in json_lines(ROOT / "examples" / "answers.jsonl")]
    texts = [(row.get("question") or row["id"], row["prediction"], _texts(row.get("passages") or [])) for row in rows]
    yield "examples", list(_cases(texts))
    found = json.loads(_unpack(data / "eval" / "pubmedqa" / "ori_pqal.json.gz"))
    texts = [(row["QUESTION"], row["LONG_ANSWER"], [" ".join(row["CONTEXTS"])]) for row in found.values()]
    yield from _halves("pubmedqa", texts)
    folder = data / "eval" / "mirage_bioasq_pubmedqa"
    asked = [
        one
        for name in ("7B1", "9B1", "11B1")
        for one in json.loads(_unpack(folder / f"{name}_golden.json.gz"))["questions"]
    ]
    texts = [(one["body"], _first(one["ideal_answer"]), [part["text"] for part in one["snippets"]]) for one in asked]
    yield from _halves("bioasq", texts)
    lines = map(json.loads, _unpack(data / "train" / "scifact" / "corpus.jsonl.gz").splitlines())
    texts = [(row["title"], row["title"], [" ".join(row["abstract"])]) for row in lines]
    yield from _halves("scifact", texts)


def measure(profile: str) -> Iterator[tuple[str, controls.JudgedControls, str]]:
    """Panel, its controls judged by the verifier of *profile*, and that verifier's signature."""
    with_evidence = load_profile(profile).override(evidence="passages")
    pipeline = Pipeline(with_evidence, has_passages=True)
    for name, cases in panels(Path(os.environ["FAS_DATA_DIR"])):
        sample = controls.ControlSample()
        sample.take(cases)
        judged = controls.judge_controls(pipeline, sample, make_panel)
        if judged is not None:
            yield name, judged, pipeline.settings()["verify"]
    pipeline.close()


def main() -> None:
    """Measure, print every panel, and write the table."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()[:1]
    for profile in PROFILES:
        rates: dict[str, list[float]] = {name: [] for name in controls.RATES}
        verifier = ""
        for name, judged, signature in measure(profile):
            verifier = PartSignature.of(signature).settings[0]
            print(
                profile,
                name,
                judged.signature,
                *(f"{key} {one.mean:.3f}" for key, one in judged.rates.items()),
                flush=True,
            )
            for key, one in judged.rates.items():
                rates[key].append(one.mean)
        lines += [f"{verifier}\t{key}\t{min(all_):.3f}\t{max(all_):.3f}\t{len(all_)}" for key, all_ in rates.items()]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _unpack(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode("utf-8")


def _halves(name: str, texts: list[tuple[str, str, list[str]]]) -> Iterator[tuple[str, list[Case]]]:
    labelled = {row["question"].strip() for row in read_rows(HERE / CASES)}
    texts = [one for one in texts if one[0].strip() not in labelled]
    yield f"{name} 1", list(_cases(texts[:N]))
    yield f"{name} 2", list(_cases(texts[N : 2 * N]))


def _cases(texts: list[tuple[str, str, list[str]]]) -> Iterator[Case]:
    for question, claim, passages in texts:
        yield Case(Claim(claim), tuple(Passage(text) for text in passages), question, None)


def _texts(passages: list[object]) -> list[str]:
    return [one if isinstance(one, str) else str(one["text"]) for one in passages]  # type: ignore[index]


def _first(value: object) -> str:
    return value if isinstance(value, str) else value[0]  # type: ignore[index]


if __name__ == "__main__":
    main()
