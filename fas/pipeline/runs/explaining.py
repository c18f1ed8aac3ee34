"""Explanations of verdicts: the query, the passages found, the parts read, their probabilities, and the result.

A run keeps claims, verdicts, the strongest sentence of each passage (`scores.jsonl`) and the names of its parts
(`run.json`), but no passages. They come from the run's evidence again: the input, an index, or the snapshot that
`--save-evidence` wrote, which alone gives the same passages years later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from fas.core.answers.files import BadLine, read_answers
from fas.core.answers.sources import AnswerSource, as_source
from fas.core.arguments import option_or_argument, suggest_arguments
from fas.core.errors import InputError
from fas.core.files.own import RUN, SCORES
from fas.core.parts.own import register_own_parts
from fas.core.profile import PartSpec, Profile, load_profile
from fas.core.records import Answer, Case, Claim, Counts, Pair, Passage, Retrieval, Verdict
from fas.core.records.as_json import number_or_nan, number_or_none
from fas.core.records.stored import AnswerRecord, ClaimRecord, FlagRecord
from fas.evidence.top_k import dedupe_top_k
from fas.pipeline import Pipeline
from fas.pipeline.runs.settings import check_made_with, read_evidence_source, reopen_input
from fas.report.review import meet
from fas.report.tables import AsText
from fas.results import Run, read_settings
from fas.scoring.aggregate import UNCOUNTED
from fas.scoring.formula import counts_of_record, evidence_score, fact_aligned_score, shares
from fas.scoring.verdicts.isolation import isolate_errors
from fas.scoring.verdicts.judge import judge

# The settings in `run.json` that decide the verdict on a claim.
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
    """A part of a passage that the verifier read; the model's probabilities sum to 1."""

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
        retrieval_score: Its BM25 score, if the source has one.
        p_support: The probability over all parts, calibrated where the model has a calibrator; None if not judged.
        p_contradict: The same for contradiction.
        windows: The parts read, if the verifier names them.
        failure: Why it was not judged.
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
        sentence: The part of the answer that the claim was taken from.
        label: supported, contradicted, unsupported or unverified.
        p_support: The highest of the passages, None if nothing was judged.
        p_contradict: The same for contradiction.
        threshold: The least probability that counts.
        conflicting: Both sides reach the threshold.
        query: The query; None if the evidence is not searched.
        passages: The passages found, best first.
        why: Why no passage settles an unsupported claim (`fas.scoring.verdicts.unsupported`).
        missing: The words of such a claim that no passage holds.
        threshold_contradiction: The threshold of P(contradict), if it is another.
        recorded: The label in the run's folder.
        flags: Counted flags of high severity on the claim's text, from `scores.jsonl`.
        otherwise: The answer's `fas` and `fas_evidence` for each label that the claim might have.
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
        p, other = (support, contradict) if self.label == "supported" else (contradict, support)
        both = f"; the other side, {other}, reaches it too, but is not higher" if self.conflicting else ""
        return f"P({self.label.removesuffix('ed')}) {p} reaches it; {at}{both}"

    def as_dict(self) -> dict[str, Any]:
        """The fields and the reason."""
        return {**asdict(self), "reason": self.reason}

    def as_text(self) -> str:
        """The explanation as lines."""
        moved = self.recorded not in (None, self.label)
        rows = [
            ("claim", self.claim),
            ("sentence", self.sentence),
            ("verdict", f"{self.label}: {self.reason}"),
            *(("warning", f"{flag['code']}: {flag['message']}") for flag in self.flags),
            ("recorded", f"{self.recorded}: the run came to another verdict than now" if moved else None),
            ("query", self.query),
        ]
        lines = [f"{name:11}{text}" for name, text in rows if text is not None]
        for passage in self.passages:
            lines += ["", *_format_passage(passage)]
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
    """Verify *claim* against *passages*, and explain the verdict.

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
    names = ("text", "title", "year", "id")
    plain = [{name: getattr(p, name) for name in names} if isinstance(p, Passage) else p for p in given]
    record = {"prediction": "", "question": question, "claims": [claim], "passages": plain}
    answer = to_answer(record, line=1, where="verify")
    (read,) = answer.claims or ()
    settings = load_profile(profile).override(**register_own_parts(overrides))
    k = max(settings.k, len(given))
    settings = settings.override(evidence="passages", claims=PartSpec("given"), safety=False, k=k)
    pipeline = Pipeline(settings, has_passages=True, has_claims=True)
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
    """Explain the verdicts on the claims of one answer of a run.

    Args:
        folder: The folder of the run.
        identifier: Id of the answer.
        profile: The settings of the run.
        claim: Number of the claim, counted from 1, or its text; all claims by default.
        answers: The input of the run, if the passages came with it; by default the file that the run read, if it is
            unchanged.
        evidence: The evidence now, e.g. `index:DIR`; by default the run's, or else the profile's.
        offline: Refuse evidence that needs the network.

    Raises:
        InputError: There is no such folder, answer or claim, the answer failed, the passages of the input are needed,
            or the run was made with other parts.
    """
    record = _read_record(folder, identifier)
    chosen = _select_claims(record, claim)
    profile = profile.override(evidence=evidence or read_evidence_source(folder))
    if profile.evidence is None and str(read_settings(folder).get("evidence", "")).startswith("passages"):
        profile = profile.override(evidence="passages")  # older runs do not name their source
    source = None if answers is None else as_source(answers)
    if profile.evidence == "passages" and source is None and (source := reopen_input(folder)) is None:
        raise InputError(
            "the passages of this run came with its answers, and it noted no file that holds them; name it: "
            + option_or_argument("--answers FILE", "answers=FILE"),
            kind="passages",
        )
    bare = Answer(record["id"], record["prediction"] or "", record["question"])
    answer = bare if source is None else _find_answer(record, source)
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
        counted = [one for one in record["flags"] if one["severity"] == "high" and one["status"] not in UNCOUNTED]
        flags = tuple(flag for flag in counted if meet(written, flag))
        otherwise = _score_other_labels(record, written["label"], profile)
        explained = explain_claim(pipeline, answer, one)
        found.append(replace(explained, recorded=written["label"], flags=flags, otherwise=otherwise))
    return found


def explain_claim(pipeline: Pipeline, answer: Answer, claim: Claim) -> Explanation:
    """Search for and judge *claim* of *answer* with the parts of *pipeline*, and explain the verdict."""
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
    threshold, contradiction = pipeline.profile.threshold, pipeline.profile.threshold_contradiction
    judge_cases = partial(judge, threshold=threshold, contradiction=contradiction)
    judged = judge_cases(pipeline.verifier, [case], [retrieval.failure], evidence_less=pipeline.evidence.is_none)
    (verdict,) = judged.verdicts
    asks = pipeline.evidence.searches or retrieval.query is not None
    return Explanation(
        claim.text,
        sentence,
        verdict.label,
        number_or_none(verdict.p_support),
        number_or_none(verdict.p_contradict),
        threshold,
        verdict.conflicting,
        (retrieval.query or searched.text) if asks else None,
        verdict.failure,
        tuple(_read_passages(pipeline, claim, answer, retrieval, verdict)),
        verdict.why,
        verdict.missing,
        contradiction,
    )


def _read_passages(
    pipeline: Pipeline, claim: Claim, answer: Answer, retrieval: Retrieval, verdict: Verdict
) -> Iterator[PassageRead]:
    read = getattr(pipeline.verifier, "windows_read", None)
    scores = retrieval.scores or (None,) * len(retrieval.passages)
    found = verdict.evidence[: len(retrieval.passages)]
    for rank, ((passage, judgement), score) in enumerate(zip(found, scores, strict=True), start=1):
        windows: tuple[WindowRead, ...] = ()
        if read is not None and judgement.failure is None:
            seen = read(Pair(claim, passage, answer.question))
            both = zip(seen.windows, seen.probabilities, strict=True)
            windows = tuple(WindowRead(window.text, window.start, window.end, *said) for window, said in both)
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


def _score_other_labels(record: Mapping[str, Any], old: str, profile: Profile) -> dict[str, dict[str, float | None]]:
    """The answer's scores if a claim labelled *old* had each of the labels."""
    reference = number_or_nan(record.get("bertscore_f1"))
    result = {}
    for label in _LABELS:
        values = counts_of_record(record)._asdict()
        values[f"n_{old}"] -= 1
        values[f"n_{label}"] += 1
        share = shares(Counts(**values))
        result[label] = {
            "fas": number_or_none(fact_aligned_score(share, reference, profile.weights)),
            "fas_evidence": number_or_none(evidence_score(share, profile.weights)),
        }
    return result


def _read_record(folder: Path, identifier: str) -> AnswerRecord:
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
    numbered = {str(n): one for n, one in enumerate(claims, start=1)}
    found = {**{one["text"]: one for one in reversed(claims)}, **numbered}.get(claim)
    if found is None:
        listed = "".join(f"\n{n}. {one['text']}" for n, one in numbered.items())
        raise InputError(f"answer {record['id']!r} has no claim {claim!r}; it has {len(claims)}:{listed}", kind="claim")
    return [found]


def _find_answer(record: Mapping[str, Any], answers: AnswerSource) -> Answer:
    for item in read_answers(answers):
        if not isinstance(item, BadLine) and item.id == record["id"]:
            if item.prediction != record["prediction"]:
                raise InputError(
                    f"{answers.name}: answer {item.id!r} is another one than the run's: its prediction differs",
                    kind="other_run",
                )
            return item
    raise InputError(f"{answers.name}: no answer with the id {record['id']!r}", kind="id")


def _format_passage(passage: PassageRead) -> Iterator[str]:
    about = " ".join(filter(None, (passage.id, f"({passage.year})" if passage.year else None, passage.title)))
    score = "" if passage.retrieval_score is None else f"  retrieval score {passage.retrieval_score:.2f}"
    yield f"{passage.rank}. {about or 'passage'}{score}"
    if passage.failure is not None:
        yield f"   not judged: {passage.failure}"
        return
    for window in passage.windows:
        place = "title" if window.start is None else f"{window.start}-{window.end}"
        yield f"   read {place}: {window.text}"
        support, neutral, contradict = map(_format, (window.p_support, window.p_neutral, window.p_contradict))
        yield f"        support {support}  neutral {neutral}  contradict {contradict}"
    if passage.p_support is not None:
        yield f"   together: P(support) {_format(passage.p_support)}, P(contradict) {_format(passage.p_contradict)}"


def _format(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
