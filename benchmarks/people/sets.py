"""The judged sets: factcheck-bench, FActScore's biographies, HaluQuestQA, MSLR, K-QA and MedLFQA's experts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.people.material import JudgedSet, Material, Unit, lines, table
from fas.bench.kqa import KQA, read_judged_answers
from fas.bench.medlfqa import MedLFQA

_STANCE = {"completely-support": 1.0, "partially-support": 0.5, "irrelevant": 0.0, "refute": -1.0}
_LABELS = {"entailment": 1.0, "neutral": 0.0, "contradiction": -1.0}
_VOTES = {"a": 1.0, "tie": 0.0, "b": -1.0}


def _against(identity: str, question: str | None, prediction: str, reference: str, **more: Any) -> dict[str, Any]:
    """A row whose reference is its evidence, too."""
    return {
        "id": identity,
        "question": question,
        "prediction": prediction,
        "references": [reference],
        "passages": [reference],
        **more,
    }


def kqa(data: Path) -> Material:
    """50 answers of four models, judged statement by statement by three physicians."""
    own = {" ".join(item.question.split()): item.references for item in KQA().items(data)}
    rows, units = {}, []
    for i, one in enumerate(read_judged_answers(data)):
        references = own[" ".join(one.question.split())]
        if not references:
            continue
        statements = [*one.must_have, *({"text": text, "kind": "nice"} for text in one.nice_to_have)]
        name = f"{i}-{one.model}"
        rows[name] = _against(name, one.question, one.answer, references[0], statements=statements)
        counts = one.counts()
        gold = {"not contradicted": float(not counts.n_must_contradicted and not counts.n_nice_contradicted)}
        if counts.n_must:
            gold["comprehensiveness"] = counts.n_must_entailed / counts.n_must
        units.append(Unit(one.question, name, gold))
    return Material(rows, units)


def medlfqa(data: Path) -> Material:
    """GPT-4's answers beside the physicians', judged by three experts by nine criteria."""
    items = {item.id: item for item in MedLFQA().items(data)}
    rows, units = {}, []
    for i, one in enumerate(MedLFQA().preferences(data)):
        item = items[one.item]
        must, nice = item.meta["must_have"], item.meta["nice_to_have"]
        statements = [*must, *({"text": text, "kind": "nice"} for text in nice)]
        more = {"statements": statements} if statements else {}
        name = str(i)
        if not one.b.text.strip():
            continue
        rows[name] = _against(name, item.question, one.a.text, one.b.text, **more)
        votes = {criterion: [_VOTES[vote] for vote in given] for criterion, given in one.votes.items()}
        gold = {"preferred": sum(map(sum, votes.values())) / sum(map(len, votes.values()))}
        for criterion, values in votes.items():
            if "Omission" in criterion:
                gold["omits less"] = sum(values) / len(values)
            if "consensus" in criterion:
                gold["medical consensus"] = sum(values) / len(values)
        units.append(Unit(item.question, name, gold))
    return Material(rows, units)


def haluquestqa(data: Path) -> Material:
    """GPT-4's answer less the person's, by one expert a question; each answer is the other's evidence."""
    rows, units = {}, []
    for i, row in enumerate(table(data / "haluquestqa" / "HaluQuestQA.tsv.gz")):
        texts = {row[f"ans{n}_label"]: row[f"ans{n}_text"] for n in (1, 2)}
        model, person = texts["model_answer"], texts["human_answer"]
        question = row["question_text"]
        rows[f"{i}-model"] = _against(f"{i}-model", question, model, person)
        rows[f"{i}-person"] = _against(f"{i}-person", question, person, model)
        better = row[f"ans{row['ans_preference'].strip()[-1]}_label"] == "model_answer"
        gold = {"preferred": 1.0 if better else -1.0}
        for name in ("factuality", "completeness", "relevance"):
            gold[name] = float(row[f"{name}_model_score"]) - float(row[f"{name}_human_score"])
        units.append(Unit(question, f"{i}-model", gold, f"{i}-person"))
    return Material(rows, units)


def _level(text: str | None) -> float | None:
    """The number in front of a choice such as `2: Yes` or `(-1): Negative effect`; None for the others."""
    head = (text or "").partition(":")[0].strip(" ()")
    return float(head) if head.lstrip("+-").isdigit() else None


def mslr(data: Path) -> Material:
    """Summaries of Cochrane reviews by systems, against the authors' own conclusions."""
    folder = data / "mslr_cochrane_human"
    rows: dict[str, dict[str, Any]] = {}
    given: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    review = {}
    for path in sorted(folder.glob("Annotations__*.tsv.gz")):
        for row in table(path):
            name = f"{row['ReviewID']}-{row['ExpID']}"
            rows.setdefault(name, _against(name, None, row["Generated Summary"], row["Target Summary"]))
            review[name] = row["ReviewID"]
            asked = {key: _level(value) for key, value in row.items() if key and not key.startswith("Comments")}
            parts = [
                value
                for part in ("population", "intervention", "outcome")
                for key, value in asked.items()
                if f"*{part}*" in key and value is not None
            ]
            if parts:
                given[name]["same PIO"].append(sum(parts) / len(parts))
            for what, gold in (("effect direction", "same direction"), ("strength of the claim", "same strength")):
                pair = [value for key, value in asked.items() if what in key]
                if None not in pair:
                    off = abs(pair[0] - pair[1])  # type: ignore[operator]  # neither is None
                    given[name][gold].append(float(off == 0) if gold == "same direction" else -off)
    units = [
        Unit(review[name], name, {gold: sum(values) / len(values) for gold, values in given[name].items()})
        for name in rows
        if given[name]
    ]
    return Material(rows, units)


def mslr_pairs(data: Path) -> Material:
    """Which of two summaries of a review reflects the authors' conclusion better; mean of who said so."""
    folder = data / "mslr_cochrane_human"
    rows: dict[str, dict[str, Any]] = {}
    said: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for path in sorted(folder.glob("Pairwise__*.tsv")):
        for row in table(path):
            choice = next((value for key, value in row.items() if key and key.startswith("Which")), "") or ""
            value = {"A": 1.0, "B": -1.0, "N": 0.0}.get(choice[:1])
            if value is None:
                continue
            names = [f"{row['review_id']}-{row[f'sys_{side}']}" for side in "ab"]
            for name, side in zip(names, "AB", strict=True):
                rows.setdefault(name, _against(name, None, row[side], row["target"]))
            turned = names[0] > names[1]
            first, second = sorted(names)
            said[row["review_id"], first, second].append(-value if turned else value)
    units = [Unit(review, a, {"preferred": sum(values) / len(values)}, b) for (review, a, b), values in said.items()]
    return Material(rows, units)


def factcheck(data: Path) -> Material:
    """Claims of ChatGPT's answers, each with the evidence that people and a search found, judged by people."""
    rows: dict[str, dict[str, Any]] = {}
    units = []
    for i, one in enumerate(lines(data / "factcheck_bench" / "factcheck-GPT-benchmark.jsonl.gz")):
        for s, sentence in enumerate(one["sentences"].values()):
            for c, claim in enumerate(sentence["claims"]):
                label = sentence["claims_factuality_label"][c]
                found = [sentence["human_evidence"][c], *sentence["auto_evidence"][c]]
                passages = [text for text in found if isinstance(text, str) and text.strip()]
                if not isinstance(label, bool) or not passages or not claim.strip():
                    continue
                name = f"{i}-{s}-{c}"
                rows[name] = {
                    "id": name,
                    "question": one["prompt"],
                    "prediction": claim,
                    "claims": [claim],
                    "references": passages,
                    "passages": passages,
                }
                units.append(Unit(one["prompt"], name, {"true": float(label)}))
    return Material(rows, units)


def stance(data: Path) -> Material:
    """Claims and single passages of a search: does the passage support or refute the claim?"""
    found = lines(data / "factcheck_bench" / "subtask3_claim_evidence_stance.jsonl.gz")
    return _singles((one["claim"], one["evidence"], one["claim"], _gold_of(_STANCE[one["stance"]])) for one in found)


def _biographies(data: Path) -> Iterator[tuple[str, str, dict[str, Any], list[tuple[str, str]], str]]:
    """Biographies by InstructGPT and ChatGPT: topic, name, line, judged facts with their labels, and the evidence.

    Wikipedia is not at hand. The evidence is what people found supported in the biographies of the two other systems,
    which is true and not complete.
    """
    said = {
        (one["topic"], system): (
            one,
            [
                (fact["text"], fact["label"])
                for part in one["annotations"] or ()
                for fact in part.get("human-atomic-facts") or ()
            ],
        )
        for system in ("ChatGPT", "InstructGPT", "PerplexityAI")
        for one in lines(data / "factscore_labeled" / f"{system}.jsonl.gz")
    }
    for (topic, system), (one, own) in said.items():
        others = [facts for (name, other), (_, facts) in said.items() if name == topic and other != system]
        true = dict.fromkeys(text for facts in others for text, label in facts if label == "S")
        judged = [(text, label) for text, label in own if label in ("S", "NS")]
        if system != "PerplexityAI" and judged and true:
            yield topic, f"{topic}-{system}", one, judged, " ".join(true)


def factscore(data: Path) -> Material:
    """Biographies by InstructGPT and ChatGPT, fact by fact."""
    rows: dict[str, dict[str, Any]] = {}
    units = []
    for topic, name, one, judged, true in _biographies(data):
        labels = [label for _, label in judged]
        rows[name] = _against(name, one["input"], one["output"], true)
        units.append(Unit(topic, name, {"facts supported": labels.count("S") / len(labels)}))
    return Material(rows, units)


def facts(data: Path) -> Material:
    """Atomic facts of the biographies, one by one."""
    rows: dict[str, dict[str, Any]] = {}
    units = []
    for topic, biography, one, judged, true in _biographies(data):
        for i, (text, label) in enumerate(judged):
            if text.strip():
                name = f"{biography}-{i}"
                rows[name] = _against(name, one["input"], text, true, claims=[text])
                units.append(Unit(topic, name, {"supported": float(label == "S")}))
    return Material(rows, units)


def biography_facts(data: Path) -> tuple[Material, dict[tuple[str, str], str]]:
    """Biographies with people's atomic facts as their claims, and the label of each by answer and text."""
    rows: dict[str, dict[str, Any]] = {}
    units, gold = [], {}
    for topic, name, one, facts, true in _biographies(data):
        if judged := {" ".join(text.split()): label for text, label in facts if text.strip()}:
            rows[name] = _against(name, one["input"], one["output"], true, claims=list(judged))
            gold |= {(name, text): "supported" if label == "S" else "unsupported" for text, label in judged.items()}
            units.append(Unit(topic, name, {"facts": float(len(judged))}))
    return Material(rows, units), gold


def kqa_statements(data: Path) -> Material:
    """Is a physician's statement in a model's answer, in contradiction to it, or neither? By three physicians."""
    return _singles(
        (text, one.answer, one.question, _gold_of(_LABELS[label.lower()]))
        for one in read_judged_answers(data)
        for text, label in zip((*one.must_have, *one.nice_to_have), one.labels(), strict=True)
    )


def healthver(data: Path) -> Material:
    """Claims on COVID-19 and sentences of abstracts: support, refute or neither."""
    return _pairs(data / "healthver_test" / "healthver_test_pairs.jsonl.gz", "hypothesis")


def nli4ct(data: Path) -> Material:
    """Statements on clinical trials: do the trials' records support or contradict them?"""
    found = _pairs(data / "nli4ct_test" / "nli4ct_test_pairs.jsonl.gz", "premise")
    units = [unit._replace(gold={"supports": unit.gold["supports"]}) for unit in found.units]  # nothing in between
    return found._replace(units=units)


def _pairs(path: Path, cluster: str) -> Material:
    return _singles(
        (one["hypothesis"], one["premise"], one[cluster], _gold_of(_LABELS[one["label"].lower()]))
        for one in lines(path)
    )


def _singles(judged: Iterable[tuple[str, str, str, dict[str, float]]]) -> Material:
    """Claims with one evidence each, numbered: claim, evidence, cluster and gold."""
    rows: dict[str, dict[str, Any]] = {}
    units = []
    for i, (claim, evidence, cluster, gold) in enumerate(judged):
        rows[str(i)] = _against(str(i), None, claim, evidence, claims=[claim])
        units.append(Unit(cluster, str(i), gold))
    return Material(rows, units)


def _gold_of(value: float) -> dict[str, float]:
    return {"supports": max(value, 0.0), "refutes not": min(value, 0.0)}


ANSWER, CLAIM = "answer", "claim"
WHOLE = {"coverage": True}
CLAIMS = {"coverage": False}
SETS = (
    JudgedSet("kqa", ANSWER, "physicians' statements in 50 answers", kqa, 50, WHOLE),
    JudgedSet("medlfqa", ANSWER, "GPT-4's answers beside the physicians', by three experts", medlfqa, 198, WHOLE),
    JudgedSet("haluquestqa", ANSWER, "GPT-4's answer or a person's, by an expert", haluquestqa, 80, WHOLE),
    JudgedSet("mslr", ANSWER, "Cochrane summaries by systems against the authors' conclusions", mslr, 240, WHOLE),
    JudgedSet("mslr-pairs", ANSWER, "which of two Cochrane summaries is more accurate", mslr_pairs, 120, WHOLE),
    JudgedSet("factscore", ANSWER, "share of a biography's facts that hold", factscore, 80, WHOLE),
    JudgedSet("kqa-statements", CLAIM, "is a statement in an answer, by three physicians", kqa_statements, 400, CLAIMS),
    JudgedSet("healthver", CLAIM, "do sentences of abstracts support or refute a claim", healthver, 300, CLAIMS, 3),
    JudgedSet("nli4ct", CLAIM, "do trial records support or contradict a statement", nli4ct, 200, CLAIMS, 2),
    JudgedSet("stance", CLAIM, "does a passage support or refute a claim (factcheck-bench)", stance, 300, CLAIMS),
    JudgedSet(
        "factcheck", CLAIM, "is a claim of ChatGPT true, with evidence (factcheck-bench)", factcheck, 200, CLAIMS
    ),
    JudgedSet("facts", CLAIM, "does a fact of a biography hold", facts, 300, CLAIMS, 8),
)
