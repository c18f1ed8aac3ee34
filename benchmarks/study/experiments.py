"""The real runs: which questions, answers, evidence and gold each takes. No model is run here but for gold.

Every experiment draws questions with a seed, type by type in proportion, and takes all chosen answers of
a drawn question. A larger limit with the same seed contains a smaller one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from fas.bench import benchmark
from fas.bench.corrupt import SHARES, corrupt_items
from fas.bench.dataset import Candidate, Item
from fas.bench.gold import attach_gold
from fas.bench.prepare import PassageSource
from fas.bench.run import build_statement_judge
from fas.core.profile import Profile

ROOT = Path(__file__).resolve().parents[2]
VIRTUES = ("Alignment with medical consensus", "Reading comprehension", "Knowledge recall", "Reasoning")


@dataclass(frozen=True)
class Setting:
    """The folders, profiles and size of a run.

    *work*: folder of the index of snippets that experiments share. *gold_profile*: its verifier judges statements where
    there is no human gold. *limit*, *samples*: at most so many questions, and stored answers of a model to a question.
    """

    data: Path
    work: Path
    profile: Profile
    gold_profile: Profile
    limit: int | None = None
    samples: int | None = None
    seed: int = 12345


@dataclass(frozen=True)
class Material:
    """The questions and the answers with gold that are scored; *n_available*: questions that could have been drawn."""

    items: Mapping[str, Item]
    candidates: Sequence[Candidate]
    passages: PassageSource
    evidence: str
    n_available: int


@dataclass(frozen=True)
class Experiment:
    """One real run and its description.

    *caution*: what evidence, references and gold share. *golds*: gold judgements to show, the first one first. *dataset*:
    name in the tables. *limit*: questions of the stored results.
    """

    name: str
    title: str
    question: str
    gold: str
    evidence: str
    caution: str
    golds: tuple[str, ...]
    dataset: str
    limit: int
    make: Callable[[Setting], Material]
    ablations: bool = False


def draw(items: Sequence[Item], limit: int | None, seed: int) -> list[Item]:
    """At most *limit* items, stratified by their kind; a larger limit contains a smaller one."""
    if limit is None or limit >= len(items):
        return list(items)
    strata: dict[str, list[Item]] = {}
    for item in items:
        strata.setdefault(item.kind or "", []).append(item)
    places = []
    for kind, members in strata.items():
        order = list(members)
        Random(f"{seed}|{kind}").shuffle(order)
        # Spread evenly over [0, 1), so that every prefix has the kinds in proportion.
        places += [((i + 0.5) / len(order), kind, item) for i, item in enumerate(order)]
    chosen = {item.id for _, _, item in sorted(places, key=lambda place: place[:2])[:limit]}
    return [item for item in items if item.id in chosen]


def medlfqa(subset: str) -> Callable[[Setting], Material]:
    """The stored samples of seven models; gold by the study's rule from the statements."""

    def make(setting: Setting) -> Material:
        bench = benchmark("medlfqa")
        available = [item for item in bench.items(setting.data) if item.meta["subset"] == subset and item.references]
        items = {item.id: item for item in draw(available, setting.limit, setting.seed)}
        wanted = _of(bench.candidates(setting.data), items, setting.samples)
        judged = attach_gold(map(_with_olaph, wanted), items, lambda: build_statement_judge(setting.gold_profile))
        return Material(items, list(judged), "references", "passages", len(available))

    return make


def _with_olaph(candidate: Candidate) -> Candidate:
    """The owners' automatic score as a second gold, in [-1, 1]."""
    scores = [candidate.meta.get(f"olaph_{name}") for name in ("comprehensiveness", "hallucination")]
    if None in scores:
        return candidate
    return replace(candidate, meta={**candidate.meta, "gold_olaph": (scores[0] - scores[1]) / 100})


def experts(*, pairs: bool) -> Callable[[Setting], Material]:
    """Three experts' preferences between GPT-4's and the physicians' answers to K-QA golden's questions."""

    def make(setting: Setting) -> Material:
        bench = benchmark("medlfqa")
        preferences = {found.item: found for found in bench.preferences(setting.data)}  # type: ignore[attr-defined]
        available = [item for item in bench.items(setting.data) if item.id in preferences]
        chosen = draw(available, setting.limit, setting.seed)
        candidates: list[Candidate] = []
        for item in chosen:
            found = preferences[item.id]
            several = {"gold": _margin(found.votes, VIRTUES), "gold_consensus": _margin(found.votes, VIRTUES[:1])}
            several["gold_nine"] = _margin(found.votes, tuple(found.votes))
            for candidate, sign in ((found.a, 1), (found.b, -1)) if pairs else ((found.a, 1),):
                meta = {name: sign * value for name, value in several.items() if name != "gold"}
                candidates.append(replace(candidate, gold=sign * several["gold"], meta={**candidate.meta, **meta}))
        # The physicians' answer is the set's reference: against itself it would always win.
        items = {item.id: replace(item, references=() if pairs else item.references) for item in chosen}
        if pairs:
            return Material(items, candidates, "none", f"index:{snippet_index(setting)}", len(available))
        return Material(items, candidates, "references", "passages", len(available))

    return make


def _margin(votes: Mapping[str, Sequence[str]], criteria: Sequence[str]) -> float:
    """Votes for the first answer less those for the second, as a share of all votes."""
    cast = [vote for criterion in criteria for vote in votes[criterion]]
    return (cast.count("a") - cast.count("b")) / len(cast)


def mirage(evidence: str) -> Callable[[Setting], Material]:
    """Explanations of BioASQ questions that some model got right and some model got wrong."""

    def make(setting: Setting) -> Material:
        bench = benchmark("mirage")
        given: dict[str, set[float]] = {}
        stored = list(bench.candidates(setting.data))
        for candidate in stored:
            if candidate.gold is not None:
                given.setdefault(candidate.item, set()).add(candidate.gold)
        items = [
            item
            for item in bench.items(setting.data)
            if item.meta["subset"] == "bioasq" and len(given.get(item.id, ())) > 1
        ]
        # Stratified by the right decision: most wrong answers are to questions whose answer is no.
        by_decision = [replace(item, kind=str(item.meta["decision"])) for item in items]
        chosen = {item.id: replace(item, kind="yesno") for item in draw(by_decision, setting.limit, setting.seed)}
        candidates = [c for c in _of(stored, chosen, setting.samples) if c.gold is not None]
        if evidence == "own":
            return Material(chosen, candidates, "own", "passages", len(items))
        return Material(chosen, candidates, "none", f"index:{snippet_index(setting)}", len(items))

    return make


def kqa(setting: Setting) -> Material:
    """The 50 answers whose statements three physicians judged."""
    bench = benchmark("kqa")
    stored = list(bench.candidates(setting.data))
    judged = {candidate.item for candidate in stored}
    available = [item for item in bench.items(setting.data) if item.id in judged and item.references]
    items = {item.id: item for item in draw(available, setting.limit, setting.seed)}
    return Material(items, list(_of(stored, items, setting.samples)), "references", "passages", len(available))


def corruption(setting: Setting) -> Material:
    """Expert answers of BioASQ with a known share of false statements."""
    bench = benchmark("bioasq")
    # A second expert answer, so that no metric compares an answer with the text it was made of; and
    # enough words for several statements.
    available = [
        item
        for item in bench.items(setting.data)
        if len(item.references) > 1 and item.passages and len(item.references[0].split()) >= 40
    ]
    items = {item.id: item for item in draw(available, setting.limit, setting.seed)}
    made = list(corrupt_items(items.values(), shares=SHARES, seed=setting.seed))
    return Material(items, made, "own", "passages", len(available))


def snippet_index(setting: Setting) -> Path:
    """A BM25 index of all snippets of BioASQ's questions, each text once; built where it is missing."""
    from fas.evidence.build import build_index

    folder = setting.work / "snippets"
    source = setting.work / "snippets.jsonl"
    done = setting.work / "snippets.done"
    if done.is_file():
        return folder
    seen: set[str] = set()
    setting.work.mkdir(parents=True, exist_ok=True)
    with source.open("w", encoding="utf-8") as out:
        for item in benchmark("bioasq").items(setting.data):
            for passage in item.passages or ():
                if passage.text not in seen:
                    seen.add(passage.text)
                    record = {"id": f"{passage.id or item.id}-{len(seen)}", "text": passage.text}
                    out.write(json.dumps(record, ensure_ascii=False) + "\n")
    build_index(folder, [source])
    done.write_text(f"{len(seen)} snippets\n", encoding="utf-8")
    return folder


def _of(candidates: Iterable[Candidate], items: Mapping[str, Item], samples: int | None) -> Iterator[Candidate]:
    for candidate in candidates:
        if candidate.item in items and (samples is None or candidate.sample < samples):
            yield candidate


_STATEMENTS = (
    "The study's rule: share of the must-have statements that the answer entails, where a contradicted nice-to-have "
    "statement counts as one more violation. Entailment is judged by the verifier that also scores the answers, unless "
    "--gold-profile says otherwise, so that gold and scores share its errors. A second gold is the owners' automatic score (`gold_olaph`)."
)
_REFERENCE = "The expert's answer itself (the set brings no other passage), one passage per question."
_SHARED = (
    "The expert's answer is reference and evidence at once, and the statements behind the gold were taken from it: the "
    "run measures how well a score sees agreement with one expert, not with the literature. All metrics have "
    "the same advantage."
)
_INDEX = "A BM25 index of all snippets that BioASQ's experts collected for 2,310 questions, five per claim."

EXPERIMENTS = (
    Experiment(
        "medlfqa-kqa_golden", "MedLFQA, K-QA golden: stored samples of seven models",
        "Do scores follow what physicians say an answer must contain?",
        _STATEMENTS + " Physicians wrote the statements.", _REFERENCE, _SHARED, ("gold", "gold_no_hallucination", "gold_olaph"), "medlfqa", 42,
        medlfqa("kqa_golden"), ablations=True,
    ),
    Experiment(
        "medlfqa-live_qa", "MedLFQA, LiveQA: stored samples of six models",
        "The same with statements that a language model took from the expert's answer.",
        _STATEMENTS + " GPT-4 wrote the statements.", _REFERENCE, _SHARED, ("gold", "gold_no_hallucination", "gold_olaph"), "medlfqa", 29,
        medlfqa("live_qa"),
    ),
    Experiment(
        "experts-pairs", "MedLFQA, expert judgements: GPT-4's answer or the physicians'",
        "Does a score prefer the answer that three experts prefer?",
        "Votes for an answer less votes for the other, over the four criteria that name a virtue (`gold`), for agreement "
        "with medical consensus alone (`gold_consensus`), and over all nine (`gold_nine`).",
        _INDEX,
        "The physicians' answer is the set's reference, so metrics that need a reference cannot be had. The snippets were "
        "collected for other questions: many claims have no evidence in them.",
        ("gold", "gold_consensus", "gold_nine"), "medlfqa", 191,
        experts(pairs=True),
    ),
    Experiment(
        "experts-gpt4", "MedLFQA, expert judgements: GPT-4's answers against the physicians'",
        "Does a score rank GPT-4's answers as the experts' preference for them does?",
        "As above, of GPT-4's answer.", _REFERENCE,
        "A vote compares two answers; how good the physicians' answer was moves it as much.",
        ("gold", "gold_consensus", "gold_nine"), "medlfqa", 198,
        experts(pairs=False),
    ),
    Experiment(
        "mirage-snippets", "MIRAGE: right and wrong explanations of BioASQ's yes/no questions, own snippets",
        "Do scores rank right explanations above wrong ones of the same question?",
        "Whether the explanation ends in the right decision. A right decision may be explained with wrong facts.",
        "The snippets that BioASQ's experts collected for the question, five per claim.",
        "Questions are those that some model got right and some wrong (196 of 618). The reference says yes or no at its "
        "start.", ("gold",), "mirage", 187,
        mirage("own"),
    ),
    Experiment(
        "mirage-index", "MIRAGE: the same, evidence from an index of all snippets",
        "What is lost when the evidence has to be found?",
        "As above.", _INDEX, "The question's own snippets are among those indexed.", ("gold",), "mirage", 196,
        mirage("index"),
    ),
    Experiment(
        "kqa-physicians", "K-QA: fifty answers judged by three physicians",
        "Do scores follow physicians' comprehensiveness and hallucination?",
        "Physicians' majority label of each statement: `gold_comprehensiveness` is the share of must-have statements "
        "entailed, `gold_no_hallucination` 1 less the share of statements contradicted (12 of 399 are), `gold` the study's rule.",
        _REFERENCE,
        "The only human labels of answers here. Fifty answers (one has no published expert answer and is left out): only large differences show. The statements were "
        "taken from the answer that serves as reference and evidence.",
        ("gold_comprehensiveness", "gold_no_hallucination", "gold"), "kqa", 49,
        kqa,
    ),
    Experiment(
        "corruption", "Controlled corruption: BioASQ's expert answers with a known share of false statements",
        "Does a score fall as statements are made false?",
        "The share of statements left true: 1, 0.75, 0.5, 0.25, 0, as near as the number of statements allows.",
        "The question's own snippets, five per claim.",
        "Questions with two or more expert answers, the first of 40 words or more; the corrupted text is never its own "
        "reference. Experts often quote snippets, so that true statements are easy to support.", ("gold",), "bioasq", 236,
        corruption,
    ),
)  # fmt: skip
