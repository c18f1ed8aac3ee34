"""Why a claim has its verdict: what was searched for and found, what of it was read, and what that came to.

A run keeps the claims, verdicts and the loudest sentence of each passage (`scores.jsonl`), and in `run.json` what its
parts were. It does not keep passages: those come from the run's own evidence once more, be it the input, an index, or
the snapshot that `--save-evidence` wrote, which alone gives the same passages years later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from fas.core.answers.files import BadLine, read_answers
from fas.core.answers.sources import AnswerSource, as_source
from fas.core.arguments import option_or_argument, suggest_arguments
from fas.core.errors import InputError
from fas.core.files.own import RUN, SCORES
from fas.core.parts.own import register_own_parts
from fas.core.profile import PartSpec, Profile, load_profile
from fas.core.records import Answer, Case, Claim, Counts, Evidence, Pair, Passage, Retrieval, Verdict
from fas.core.records.as_json import number_or_nan, number_or_none
from fas.core.records.stored import AnswerRecord, ClaimRecord, FlagRecord
from fas.evidence.top_k import dedupe_top_k
from fas.pipeline import Pipeline
from fas.pipeline.runs.folder import check_made_with, evidence_source, input_again
from fas.report.review import meet
from fas.report.tables import AsText
from fas.results import Run, read_settings
from fas.scoring.aggregate import UNCOUNTED
from fas.scoring.formula import counts_of_record, evidence_score, fact_aligned_score, shares
from fas.scoring.verdicts.isolation import isolate_errors
from fas.scoring.verdicts.judge import judge

# What `run.json` says of a run that decides the verdict on a claim.
_DECIDING = ("evidence", "verify", "prec")
_LABELS = ("supported", "contradicted", "unsupported")
_WHY = {
    "off_topic": "No passage is about the claim",
    "related": "The passages are about it and state something else",
    "part": "The passages support a part of it",
    "hedge": "A passage says it less surely",
    "aim": "A passage asks or plans it and does not state it",
}


@dataclass(frozen=True, slots=True)
class WindowRead:
    """A part of a passage that the verifier read; probabilities in [0, 1] as the model gave them, which sum to 1."""

    text: str
    start: int | None
    end: int | None
    p_support: float
    p_neutral: float
    p_contradict: float


@dataclass(frozen=True, slots=True)
class PassageRead:
    """A passage of a claim.

    Attributes:
        rank: Its place among those found, from 1.
        id: Its id, if it has one.
        title: Its title, if known.
        year: Its year, if known.
        retrieval_score: What the search gave it (BM25), None where the source tells none.
        p_support: What the verifier made of all parts together, calibrated where the model has a calibrator.
        p_contradict: The same for the other side; both None where it was not judged on its own.
        windows: What was read; empty where the verifier does not tell.
        failure: Why it was not judged, or None.
    """

    rank: int
    id: str | None
    title: str | None
    year: int | None
    retrieval_score: float | None
    p_support: float | None
    p_contradict: float | None
    windows: tuple[WindowRead, ...] = ()
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Explanation(AsText):
    """One claim, explained.

    Attributes:
        claim: The claim.
        sentence: The part of the answer that it was taken from, if there is one.
        label: supported, contradicted, unsupported or unverified.
        p_support: The highest of the passages, None where nothing was judged.
        p_contradict: The same for the other side.
        threshold: From where a probability counts.
        conflicting: Both sides reach the threshold.
        query: What was searched for; None where the evidence is not searched.
        failure: What failed, or None.
        passages: What was found, best first.
        why: Of an unsupported claim with passages, why none settles it (`fas.scoring.verdicts.unsupported`).
        missing: Of such a claim, the words that no passage holds.
        threshold_contradiction: From where P(contradict) counts, where that is another threshold.
        recorded: The label in the folder of the run, None where there is no run.
        flags: Counted flags of high severity on text of the claim, as `scores.jsonl` has them; none without a run.
        otherwise: Label to the answer's `fas` and `fas_evidence` if this claim had it; empty without a run.
    """

    claim: str
    sentence: str | None
    label: str
    p_support: float | None
    p_contradict: float | None
    threshold: float
    conflicting: bool
    query: str | None
    failure: str | None
    passages: tuple[PassageRead, ...]
    why: str | None = None
    missing: tuple[str, ...] = ()
    threshold_contradiction: float | None = None
    recorded: str | None = None
    flags: tuple[FlagRecord, ...] = ()
    otherwise: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)

    @property
    def reason(self) -> str:
        """What made the label, in a sentence."""
        if self.label == "unverified":
            return f"not verified: {self.failure}"
        if not self.passages and self.p_support is None:
            return "the search found nothing"
        support, contradict = (_format(p) for p in (self.p_support, self.p_contradict))
        at = f"the threshold is {self.threshold:g}"
        if self.threshold_contradiction is not None:
            at = f"the thresholds are {self.threshold:g} and {self.threshold_contradiction:g}"
        if self.label == "unsupported":
            why = "" if self.why is None else f". {_WHY[self.why]}"
            missing = f"; in no passage: {', '.join(self.missing)}" if self.missing else ""
            return f"neither P(support) {support} nor P(contradict) {contradict} reaches it; {at}{why}{missing}"
        side, p, other = ("support", support, contradict) if self.label == "supported" else (
            "contradict", contradict, support
        )  # fmt: skip
        both = f"; the other side, {other}, reaches it too, but is not higher" if self.conflicting else ""
        return f"P({side}) {p} reaches it; {at}{both}"

    def as_dict(self) -> dict[str, Any]:
        """For programs; None stands for what there is none of."""
        return {**asdict(self), "reason": self.reason}

    def as_text(self) -> str:
        """For people."""
        lines = [f"claim      {self.claim}"]
        if self.sentence is not None:
            lines.append(f"sentence   {self.sentence}")
        lines.append(f"verdict    {self.label}: {self.reason}")
        lines += [f"warning    {flag['code']}: {flag['message']}" for flag in self.flags]
        if self.recorded is not None and self.recorded != self.label:
            lines.append(f"recorded   {self.recorded}: the run came to another verdict than now")
        if self.query is not None:
            lines.append(f"query      {self.query}")
        for passage in self.passages:
            lines += ["", *_passage_lines(passage)]
        if self.otherwise:
            lines += ["", "the answer's score, were the claim"]
            for label, scores in self.otherwise.items():
                values = ", ".join(f"{name} {_format(value)}" for name, value in scores.items())
                lines.append(f"  {label:13}{values}{'   (as it is)' if label == self.label else ''}")
        return "\n".join(lines)


@suggest_arguments
def verify_claim(
    claim: str,
    passages: str | Sequence[str | Mapping[str, Any] | Passage],
    *,
    profile: str | Path | Profile = "mini",
    question: str | None = None,
    **overrides: Any,
) -> Explanation:
    """The verdict on *claim* by *passages*, and how it came about.

    Args:
        claim: A statement that can be read on its own.
        passages: One passage or several: texts, objects as in the input (`text`, `title`, ...), or `Passage`s. All
            are read.
        profile: Whose verifier and threshold: a name, a TOML file, or a `Profile`.
        question: The question that the claim answers, for verifiers that read it.
        **overrides: Settings of `Profile`, e.g. `threshold=0.8`, `verify="lexical"`.

    Raises:
        ValueError: The claim is empty, a passage has no text, there is none, or a setting is impossible.

    Examples:
        >>> verify_claim("Aspirin relieves pain.", ["Aspirin relieved pain."]).label
        'supported'
    """
    from fas.core.answers.schema import to_answer

    given = [passages] if isinstance(passages, str | Mapping | Passage) else list(passages)
    if not given:
        raise InputError("no passage to verify the claim by")
    plain = [
        {"text": p.text, "title": p.title, "year": p.year, "id": p.id} if isinstance(p, Passage) else p for p in given
    ]
    record = {"prediction": "", "question": question, "claims": [claim], "passages": plain}
    answer = to_answer(record, line=1, where="verify")
    settings = load_profile(profile).override(**register_own_parts(overrides))
    settings = settings.override(
        evidence="passages", claims=PartSpec("given"), safety=False, k=max(settings.k, len(given))
    )
    pipeline = Pipeline(settings, has_passages=True, has_claims=True)
    (read,) = answer.claims or ()
    return explain_claim(pipeline, answer, replace(read, start=None, end=None))


def explain_run(
    folder: Path,
    identifier: str,
    profile: Profile,
    *,
    claim: str | None = None,
    answers: Path | None = None,
    evidence: str | None = None,
    offline: bool = False,
) -> list[Explanation]:
    """Why the claims of one answer of a run have their verdicts.

    Args:
        folder: The folder of the run.
        identifier: Id of the answer.
        profile: The settings of the run.
        claim: Number of the claim, counted from 1, or its text; all of them by default.
        answers: The input of the run, for evidence that came with the answers; by default the file that the run read,
            if it is unchanged.
        evidence: Where the evidence is now, e.g. `index:DIR`; by default where the run had it, and what the profile
            says if the run does not.
        offline: Refuse evidence that needs the network.

    Raises:
        InputError: There is no such folder, answer or claim, the answer failed, the passages of the input are needed,
            or the run was made with other parts.
    """
    record = _record(folder, identifier)
    chosen = _select_claims(record, claim)
    answer = Answer(record["id"], record["prediction"] or "", record["question"])
    if answers is not None:
        answer = _answer(record, as_source(answers))
    made = read_settings(folder)
    profile = profile.override(evidence=evidence or evidence_source(folder))
    if profile.evidence is None and str(made.get("evidence", "")).startswith("passages"):
        profile = profile.override(evidence="passages")  # older runs do not name their source
    if profile.evidence == "passages" and answers is None:
        source = input_again(folder)
        if source is None:
            raise InputError(
                "the passages of this run came with its answers, and it noted no file that holds them; name it: "
                + option_or_argument("--answers FILE", "answers=FILE"),
                kind="passages",
            )
        answer = _answer(record, source)
    pipeline = Pipeline(
        profile.override(safety=False),
        has_passages=profile.evidence == "passages" or answer.passages is not None,
        has_claims=True,
        offline=offline,
    )
    check_made_with(folder, pipeline.settings(), _DECIDING)
    found = []
    for written in chosen:
        unread = written["failure"] if written["unread"] else None
        one = Claim(written["text"], written["start"], written["end"], context=written["context"], failure=unread)
        explained = explain_claim(pipeline, answer, one)
        otherwise = _score_other_labels(record, written, profile)
        flags = tuple(
            flag
            for flag in record["flags"]
            if flag["severity"] == "high" and flag["status"] not in UNCOUNTED and meet(written, flag)
        )
        found.append(replace(explained, recorded=written["label"], flags=flags, otherwise=otherwise))
    return found


def explain_claim(pipeline: Pipeline, answer: Answer, claim: Claim) -> Explanation:
    """*claim* of *answer*, searched for and judged by the parts of *pipeline*."""
    searched = pipeline.to_search(claim)
    (outcome,) = isolate_errors(lambda items: pipeline.retriever.retrieve(items, [answer]), [searched])
    if claim.failure is not None:
        retrieval = Retrieval(failure=claim.failure)
    elif isinstance(outcome, Exception):
        retrieval = Retrieval(failure=f"{type(outcome).__name__}: {outcome}")
    else:
        retrieval = dedupe_top_k(outcome, pipeline.profile.k).retrieval
    sentence = None if claim.start is None else answer.prediction[claim.start : claim.end]
    case = Case(claim, retrieval.passages, answer.question, sentence)
    judged = judge(
        pipeline.verifier,
        [case],
        [retrieval.failure],
        threshold=pipeline.profile.threshold,
        evidence_less=pipeline.evidence.is_none,
        contradiction=pipeline.profile.threshold_contradiction,
    )
    (verdict,) = judged.verdicts
    asks = pipeline.evidence.searches or retrieval.query is not None
    return Explanation(
        claim.text,
        sentence,
        verdict.label,
        number_or_none(verdict.p_support),
        number_or_none(verdict.p_contradict),
        pipeline.profile.threshold,
        verdict.conflicting,
        (retrieval.query or searched.text) if asks else None,
        verdict.failure,
        tuple(_passages(pipeline, claim, answer, retrieval, verdict)),
        verdict.why,
        verdict.missing,
        pipeline.profile.threshold_contradiction,
    )


def _passages(
    pipeline: Pipeline, claim: Claim, answer: Answer, retrieval: Retrieval, verdict: Verdict
) -> Iterator[PassageRead]:
    read = getattr(pipeline.verifier, "windows_read", None)
    scores = retrieval.scores or (None,) * len(retrieval.passages)
    found: Sequence[Evidence] = verdict.evidence[: len(retrieval.passages)]
    for rank, ((passage, judgement), score) in enumerate(zip(found, scores, strict=True), start=1):
        windows: tuple[WindowRead, ...] = ()
        if read is not None and judgement.failure is None:
            seen = read(Pair(claim, passage, answer.question))
            windows = tuple(
                WindowRead(window.text, window.start, window.end, *said)
                for window, said in zip(seen.windows, seen.probabilities, strict=True)
            )
        yield PassageRead(
            rank,
            passage.id,
            passage.title,
            passage.year,
            score,
            number_or_none(judgement.p_support),
            number_or_none(judgement.p_contradict),
            windows,
            judgement.failure,
        )


def _score_other_labels(
    record: Mapping[str, Any], written: Mapping[str, Any], profile: Profile
) -> dict[str, dict[str, float | None]]:
    """The answer's scores if the claim *written* had each of the labels."""
    counts = counts_of_record(record)
    reference = number_or_nan(record.get("bertscore_f1"))
    result = {}
    for label in _LABELS:
        share = shares(_move_verdict(counts, written["label"], label))
        scores = {
            "fas": fact_aligned_score(share, reference, profile.weights),
            "fas_evidence": evidence_score(share, profile.weights),
        }
        result[label] = {name: number_or_none(value) for name, value in scores.items()}
    return result


def _move_verdict(counts: Counts, old: str, new: str) -> Counts:
    values = counts._asdict()
    values[f"n_{old}"] -= 1
    values[f"n_{new}"] += 1
    return Counts(**values)


def _record(folder: Path, identifier: str) -> AnswerRecord:
    path = folder / SCORES
    if not path.is_file() or not (folder / RUN).is_file():
        raise InputError(f"{folder}: no folder of `fas score` (scores.jsonl, run.json)", kind="missing_file")
    try:
        record = cast(AnswerRecord, Run(path).show(identifier).record)
    except LookupError as error:
        raise InputError(f"{path}: {error}", kind="id") from error
    if record["error"] is not None:
        raise InputError(f"answer {identifier!r} failed: {record['error']['message']}", kind="failed")
    return record


def _select_claims(record: AnswerRecord, claim: str | None) -> list[ClaimRecord]:
    claims = record["claims"]
    if claim is None:
        return claims
    if claim.isdecimal() and 1 <= int(claim) <= len(claims):
        return [claims[int(claim) - 1]]
    named = [one for one in claims if one["text"] == claim]
    if not named:
        numbered = "".join(f"\n{i}. {one['text']}" for i, one in enumerate(claims, start=1))
        raise InputError(
            f"answer {record['id']!r} has no claim {claim!r}; it has {len(claims)}:{numbered}", kind="claim"
        )
    return named[:1]


def _answer(record: Mapping[str, Any], answers: AnswerSource) -> Answer:
    for item in read_answers(answers):
        if not isinstance(item, BadLine) and item.id == record["id"]:
            if item.prediction != record["prediction"]:
                raise InputError(
                    f"{answers.name}: answer {item.id!r} is another one than the run's: its prediction differs",
                    kind="other_run",
                )
            return item
    raise InputError(f"{answers.name}: no answer with the id {record['id']!r}", kind="id")


def _passage_lines(passage: PassageRead) -> Iterator[str]:
    about = " ".join(filter(None, (passage.id, f"({passage.year})" if passage.year else None, passage.title)))
    score = "" if passage.retrieval_score is None else f"  retrieval score {passage.retrieval_score:.2f}"
    yield f"{passage.rank}. {about or 'passage'}{score}"
    if passage.failure is not None:
        yield f"   not judged: {passage.failure}"
        return
    for window in passage.windows:
        numbers = "  ".join(
            f"{name} {_format(p)}"
            for name, p in (
                ("support", window.p_support),
                ("neutral", window.p_neutral),
                ("contradict", window.p_contradict),
            )
        )
        place = "title" if window.start is None else f"{window.start}-{window.end}"
        yield f"   read {place}: {window.text}"
        yield f"        {numbers}"
    if passage.p_support is not None:
        yield f"   together: P(support) {_format(passage.p_support)}, P(contradict) {_format(passage.p_contradict)}"


def _format(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
