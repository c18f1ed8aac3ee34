"""The counts behind factuality scores, read back from a result folder."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, cast

from fas.claims.core import CoreFilter, Weights
from fas.claims.llm.units import source_sentences
from fas.claims.whole import GivenClaims
from fas.core.errors import InputError
from fas.core.files.plain import json_lines
from fas.core.records import Answer, Claim, Counts
from fas.reference.tokenizers import Tokenizer, load_tokenizer
from fas.report.labelled import Irrelevant, attach_labels
from fas.results import check_records, scores_path
from fas.scoring.aggregate import question_key
from fas.scoring.factuality import ClaimChange, CountedAnswer, pronoun_replaced
from fas.scoring.verdicts.entailment import StatementEntailment
from fas.text.sentences import sentence_spans

_CHUNK = 16


class JudgedClaim(NamedTuple):
    """A claim as a run judged it; `truth` is None where it is unverified."""

    text: str
    context: str | None
    span: tuple[int, int] | None
    truth: bool | None


class AnswerFacts(NamedTuple):
    """One answer of a run.

    Attributes:
        counts: What the scores need.
        claims: Its claims, for comparing two runs.
        question: What answers to the same question have in common; None if the answer names none.
        group: Value of the field to group by.
    """

    counts: CountedAnswer
    claims: tuple[JudgedClaim, ...]
    question: str | None
    group: str | None


@dataclass(frozen=True, slots=True)
class FactsOfRun:
    """A run.

    Attributes:
        path: The `scores.jsonl` it was read from.
        answers: Id to what was counted, in the order of the file; failed answers are not among them.
        n_failed: Records that are errors.
        n_unjudged: Claims that the entailment could not judge; they are in no share.
        filter: Signature of the filter that chose among the claims, or None.
    """

    path: Path
    answers: Mapping[str, AnswerFacts]
    n_failed: int
    n_unjudged: int = 0
    filter: str | None = None


def read_facts(
    path: Path,
    *,
    by: str | None = None,
    entailment: StatementEntailment | None = None,
    verifiable: str | None = None,
    core: CoreFilter | None = None,
    irrelevant: Irrelevant = "leave-out",
) -> FactsOfRun:
    """The counts of every scored answer of a result folder, of a `scores.jsonl`, or of a file of labelled answers.

    Args:
        path: Folder or file.
        by: Field of `meta` to group by.
        entailment: Compares each claim with the sentence it was taken from (DecompScore).
        verifiable: Field of `meta` with the verifiable parts of an answer, a list of strings; empty
            for an answer that has none. Claims are compared with each part; needs *entailment*.
        core: Counts only the claims that this filter keeps; their verdicts are those of the run.
        irrelevant: What becomes of labelled claims that are irrelevant (IR).

    Raises:
        InputError: A file is missing or a line cannot be used, with file and line.
    """
    if verifiable is not None and entailment is None:
        raise ValueError("`verifiable` needs `entailment`: something has to compare claims with the verifiable parts")
    source = scores_path(path)
    answers: dict[str, AnswerFacts] = {}
    failed = unjudged = 0
    tokens = load_tokenizer("treebank")
    for chunk in _chunks(source, irrelevant):
        scored = [(name, number, record) for name, number, record in chunk if record["error"] is None]
        failed += len(chunk) - len(scored)
        if core is not None:
            for _, _, record in scored:
                record["claims"] = core_claims(record, core)
        for name, number, record in scored:
            if by is not None and by not in record["meta"]:
                message = f"{source}, line {number}: field {by!r} to group by is not in `meta`"
                raise InputError(message, kind="group", line=number, field=by)
            answers[name] = facts_of(record, tokens=tokens, by=by, where=f"{source}, line {number}")
        if entailment is not None:
            compared = _compared([record for _, _, record in scored], entailment, verifiable, source)
            for (name, _, _), extra in zip(scored, compared, strict=True):
                unjudged += extra.n_unjudged
                counts = answers[name].counts._replace(
                    n_located=extra.n_located,
                    n_entailed=extra.n_entailed,
                    n_matched=extra.n_matched,
                    n_compared=extra.n_compared,
                )
                answers[name] = answers[name]._replace(counts=counts)
    if not answers:
        raise InputError(f"{source}: no scored answer", kind="empty_file")
    filtered_by = None if core is None else core.signature.removeprefix(f"{core.extractor.signature}+")
    return FactsOfRun(source, answers, failed, unjudged, filtered_by)


def core_filter(weights: str) -> CoreFilter:
    """The filter `core` for claims that are already there.

    Raises:
        ValueError: There are no such weights.
    """
    return CoreFilter(GivenClaims(), weights=cast(Weights, weights))


def core_claims(record: Mapping[str, Any], core: CoreFilter) -> list[dict[str, Any]]:
    """The claims of a record that *core* keeps, with their verdicts; those it cannot read become unverified."""
    given = record["claims"]
    claims = [
        Claim(one["text"], one.get("start"), one.get("end"), failure="unread" if one.get("unread") else None)
        for one in given
    ]
    (kept,) = core.refine([claims], [Answer(str(record["id"]), record["prediction"], record.get("question"))])
    # The filter keeps the order, so that each kept claim is the next of its text and place.
    waiting = iter(zip(claims, given, strict=True))
    result = []
    for claim in kept:
        one = next(one for before, one in waiting if (before.text, before.start) == (claim.text, claim.start))
        lost = claim.failure is not None and not one.get("unread")
        result.append({**one, "label": "unverified"} if lost else one)
    return result


def aligned(a: AnswerFacts, b: AnswerFacts) -> tuple[list[ClaimChange], int]:
    """The claims of one answer that two runs judged both, and how many have no partner or no verdict.

    Claims are the same if they were taken from the same span and have the same text, or one is the
    decontextualised form of the other. Equal claims are paired in order.
    """
    partners = _Partners(b.claims)
    changes: list[ClaimChange] = []
    unpaired = 0
    for claim in a.claims:
        partner = partners.take(claim)
        if partner is None:
            unpaired += 1
            continue
        if claim.truth is None or partner.truth is None:
            unpaired += 1
            continue
        short, long = _forms(claim, partner)
        changes.append(ClaimChange(claim.truth, partner.truth, None if long is None else pronoun_replaced(short, long)))
    return changes, unpaired + partners.n_left


def aligned_three(a: AnswerFacts, b: AnswerFacts, c: AnswerFacts) -> list[str]:
    """Patterns such as `TFT`: what three runs said of each claim of one answer that all of them judged.

    Claims are the same as for `aligned`; a claim without a partner or a verdict in one of the runs is left out.
    """
    others = [_Partners(run.claims) for run in (b, c)]
    patterns = []
    for claim in a.claims:
        found = [claim, *(partners.take(claim) for partners in others)]
        truths = [None if one is None else one.truth for one in found]
        if None not in truths:
            patterns.append("".join("T" if truth else "F" for truth in truths))
    return patterns


class _Partners:
    """The claims of a run that have no partner yet, found by span and wording without passing over the others."""

    def __init__(self, claims: Sequence[JudgedClaim]) -> None:
        self._claims = claims
        self._free = [True] * len(claims)
        self.n_left = len(claims)
        self._by_text: defaultdict[tuple[object, str], deque[int]] = defaultdict(deque)
        self._by_context: defaultdict[tuple[object, str], deque[int]] = defaultdict(deque)
        for place, claim in enumerate(claims):
            self._by_text[claim.span, claim.text].append(place)
            if claim.context is not None:
                self._by_context[claim.span, claim.context].append(place)

    def take(self, claim: JudgedClaim) -> JudgedClaim | None:
        """The first claim that is the same as *claim*; it is nobody else's partner then."""
        places = [self._first(self._by_text, claim.span, form) for form in (claim.text, claim.context)]
        places.append(self._first(self._by_context, claim.span, claim.text))
        place = min((place for place in places if place is not None), default=None)
        if place is None:
            return None
        self._free[place] = False
        self.n_left -= 1
        return self._claims[place]

    def _first(
        self, queues: Mapping[tuple[object, str], deque[int]], span: tuple[int, int] | None, form: str | None
    ) -> int | None:
        queue = None if form is None else queues.get((span, form))
        # A claim stands in two queues; what was taken through one is taken from the other here.
        while queue and not self._free[queue[0]]:
            queue.popleft()
        return queue[0] if queue else None


def _forms(a: JudgedClaim, b: JudgedClaim) -> tuple[str, str | None]:
    """The claim and its decontextualised form, whichever run has it."""
    if a.text != b.text:
        return (a.text, b.text) if a.context == b.text else (b.text, a.text)
    return a.text, a.context if a.context is not None else b.context


def _chunks(source: Path, irrelevant: Irrelevant) -> Iterator[list[tuple[str, int, dict[str, Any]]]]:
    chunk: list[tuple[str, int, dict[str, Any]]] = []
    for number, record in check_records(_as_judged(source, irrelevant), source):
        chunk.append((record["id"], number, cast(dict[str, Any], record)))
        if len(chunk) == _CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _as_judged(source: Path, irrelevant: Irrelevant) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, record in json_lines(source):
        if source.name != "scores.jsonl" and "meta" not in record and "error" not in record:
            record = attach_labels(record, number, source, irrelevant=irrelevant)
        yield number, record


def facts_of(
    record: Mapping[str, Any],
    *,
    tokens: Tokenizer | None = None,
    by: str | None = None,
    where: str = "record",
) -> AnswerFacts:
    """What one line of a `scores.jsonl` without an error says.

    Args:
        record: The line.
        tokens: What counts tokens; made anew by default.
        by: Field of `meta` to group by; must be there.
        where: Begins the messages.

    Raises:
        InputError: It is no such line.
    """
    tokens = tokens or load_tokenizer("treebank")
    prediction, given = record.get("prediction"), record.get("claims")
    if not isinstance(prediction, str) or not isinstance(given, list):
        raise InputError(f"{where}: no line of a scores.jsonl: `prediction` and `claims` are needed", kind="type")
    claims = [claim for claim in given if not claim.get("unread")]
    labels = [claim.get("label") for claim in claims]
    counts = CountedAnswer(
        Counts.of_labels(labels),
        n_unread=len(given) - len(claims),
        n_sentences=len(sentence_spans(prediction)),
        n_tokens=sum(len(tokens(claim["text"])) for claim in claims),
    )
    judged = tuple(
        JudgedClaim(
            claim["text"],
            claim.get("context"),
            None if claim.get("start") is None else (claim["start"], claim["end"]),
            None if claim["label"] == "unverified" else claim["label"] == "supported",
        )
        for claim in claims
    )
    group = None if by is None else str(record["meta"][by])
    return AnswerFacts(counts, judged, question_key(record), group)


class _Compared(NamedTuple):
    n_located: int
    n_entailed: int
    n_matched: int | None
    n_compared: int
    n_unjudged: int


def _compared(
    records: Sequence[Mapping[str, Any]], entailment: StatementEntailment, verifiable: str | None, source: Path
) -> list[_Compared]:
    """Claims against their own sentence, and against the verifiable parts; one batch for all records."""
    pairs: list[tuple[str, str]] = []
    plans = []
    for record in records:
        claims = [claim for claim in record["claims"] if not claim.get("unread")]
        parts = None if verifiable is None else _parts(record, verifiable, source)
        located = [claim for claim in claims if claim.get("start") is not None]
        plans.append((len(located), len(claims), parts))
        # A claim's own span may be a clause; what DecompScore asks about is its whole sentence.
        answer = Answer(str(record["id"]), record["prediction"])
        places = [Claim(claim["text"], claim["start"], claim["end"]) for claim in located]
        sentences = source_sentences(answer, places)
        pairs += [(text or "", claim["text"]) for text, claim in zip(sentences, located, strict=True)]
        pairs += [(part, claim["text"]) for claim in claims for part in parts or ()]
    outcomes = iter(entailment.judge(pairs))
    found = []
    for n_located, n_claims, parts in plans:
        own = [next(outcomes) for _ in range(n_located)]
        matched = [[next(outcomes) for _ in parts or ()] for _ in range(n_claims)]
        # A claim that some part entails is settled, whatever happened with the others.
        lost = sum(None in row and True not in row for row in matched)
        n_matched = sum(True in row for row in matched) if parts else None
        found.append(
            _Compared(
                n_located=n_located - own.count(None),
                n_entailed=own.count(True),
                n_matched=n_matched,
                n_compared=n_claims - lost if parts else 0,
                n_unjudged=own.count(None) + lost,
            )
        )
    return found


def _parts(record: Mapping[str, Any], field: str, source: Path) -> list[str]:
    value = record["meta"].get(field)
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise InputError(
            f"{source}: answer {record['id']!r}: field {field!r} of `meta` must be a list of strings, the verifiable "
            f"parts of the answer (empty if there are none), got {value!r}",
            kind="type",
            field=field,
        )
    return [part for part in value if part.strip()]
