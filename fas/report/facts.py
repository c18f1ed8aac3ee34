"""The counts behind factuality scores, read back from a result folder."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, cast

from fas.claims.core import CoreFilter, Weights
from fas.claims.llm.units import source_sentences
from fas.claims.whole import GivenClaims
from fas.core.errors import InputError
from fas.core.files.own import SCORES
from fas.core.files.plain import json_lines
from fas.core.records import Answer, Claim, Counts
from fas.core.records.stored import AnswerRecord, ClaimRecord
from fas.reference.tokenizers import load_tokenizer
from fas.report.labelled import Irrelevant, attach_labels
from fas.results import check_records, scores_path
from fas.scoring.factuality import ClaimChange, CountedAnswer, pronoun_replaced
from fas.scoring.verdicts.entailment import StatementEntailment
from fas.text.sentences import sentence_spans

_CHUNK = 16


@dataclass(frozen=True, slots=True)
class FactsOfRun:
    """A run.

    Attributes:
        path: The `scores.jsonl` it was read from.
        answers: Id to record, in the order of the file; failed answers are not among them, nor are passages.
        counts: What the scores need of each, in that order.
        groups: Value of the field to group by, to ids; empty where none was asked for.
        n_unjudged: Claims that the entailment could not judge; they are in no share.
        filter: Signature of the filter that chose among the claims, or None.
    """

    path: Path
    answers: Mapping[str, AnswerRecord]
    counts: Mapping[str, CountedAnswer]
    groups: Mapping[str, Sequence[str]]
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
    answers: dict[str, AnswerRecord] = {}
    counts: dict[str, CountedAnswer] = {}
    groups: defaultdict[str, list[str]] = defaultdict(list)
    failed = unjudged = 0
    records = check_records(_read_judged(source, irrelevant), source)
    while chunk := list(islice(records, _CHUNK)):
        scored = [(number, record) for number, record in chunk if record["error"] is None]
        failed += len(chunk) - len(scored)
        for number, record in scored:
            where = f"{source}, line {number}"
            if by is not None:
                if by not in record["meta"]:
                    message = f"{where}: field {by!r} to group by is not in `meta`"
                    raise InputError(message, kind="group", line=number, field=by)
                groups[str(record["meta"][by])].append(record["id"])
            if record["prediction"] is None:
                raise InputError(f"{where}: no line of a scores.jsonl: `prediction` is needed", kind="type")
            if core is not None:
                record["claims"] = keep_core_claims(record, core)
            for claim in record["claims"]:
                claim["evidence"].clear()
            answers[record["id"]], counts[record["id"]] = record, count_claims(record)
        if entailment is not None:
            compared = _compare_claims([record for _, record in scored], entailment, verifiable, source)
            for (_, record), extra in zip(scored, compared, strict=True):
                unjudged += extra.pop("n_unjudged") or 0
                counts[record["id"]] = counts[record["id"]]._replace(**extra)  # type: ignore[arg-type]
    if not answers:
        raise InputError(f"{source}: no scored answer", kind="empty_file")
    filtered_by = None if core is None else core.signature.removeprefix(f"{core.extractor.signature}+")
    return FactsOfRun(source, answers, counts, groups, failed, unjudged, filtered_by)


def make_core_filter(weights: str) -> CoreFilter:
    """The filter `core` for claims that are already there.

    Raises:
        ValueError: There are no such weights.
    """
    return CoreFilter(GivenClaims(), weights=cast(Weights, weights))


def keep_core_claims(record: AnswerRecord, core: CoreFilter) -> list[ClaimRecord]:
    """The claims of a record that *core* keeps, with their verdicts; those it cannot read become unverified."""
    given = record["claims"]
    claims = [
        Claim(one["text"], one["start"], one["end"], failure="unread" if one["unread"] else None) for one in given
    ]
    (kept,) = core.refine([claims], [Answer(record["id"], record["prediction"] or "", record["question"])])
    # The filter keeps the order, so that each kept claim is the next of its text and place.
    waiting = iter(zip(claims, given, strict=True))
    result: list[ClaimRecord] = []
    for claim in kept:
        one = next(one for before, one in waiting if (before.text, before.start) == (claim.text, claim.start))
        lost = claim.failure is not None and not one["unread"]
        result.append({**one, "label": "unverified"} if lost else one)
    return result


def read_claims(record: AnswerRecord) -> list[ClaimRecord]:
    """The claims of an answer, without the sentences that could not be taken apart."""
    return [claim for claim in record["claims"] if not claim["unread"]]


def align_claims(a: AnswerRecord, b: AnswerRecord) -> tuple[list[ClaimChange], int]:
    """The claims of one answer that two runs judged both, and how many have no partner or no verdict.

    Claims are the same if they were taken from the same span and have the same text, or one is the
    decontextualised form of the other. Equal claims are paired in order.
    """
    partners = _Partners(read_claims(b))
    changes: list[ClaimChange] = []
    unpaired = 0
    for claim in read_claims(a):
        partner = partners.take(claim)
        if partner is None or "unverified" in (claim["label"], partner["label"]):
            unpaired += 1
            continue
        short, long = _order_forms(claim, partner)
        before, after = (one["label"] == "supported" for one in (claim, partner))
        changes.append(ClaimChange(before, after, None if long is None else pronoun_replaced(short, long)))
    return changes, unpaired + partners.n_left


def align_three(a: AnswerRecord, b: AnswerRecord, c: AnswerRecord) -> list[str]:
    """Patterns such as `TFT`: what three runs said of each claim of one answer that all of them judged.

    Claims are the same as for `align_claims`; a claim without a partner or a verdict in one of the runs is left out.
    """
    others = [_Partners(read_claims(run)) for run in (b, c)]
    patterns = []
    for claim in read_claims(a):
        labels = ["unverified" if one is None else one["label"] for one in (claim, *(o.take(claim) for o in others))]
        if "unverified" not in labels:
            patterns.append("".join("T" if label == "supported" else "F" for label in labels))
    return patterns


_Place = tuple[int | None, int | None]


class _Partners:
    """The claims of a run that have no partner yet, found by span and wording without passing over the others."""

    def __init__(self, claims: Sequence[ClaimRecord]) -> None:
        self._claims = claims
        self._free = [True] * len(claims)
        self.n_left = len(claims)
        self._by_text: defaultdict[tuple[_Place, str], deque[int]] = defaultdict(deque)
        self._by_context: defaultdict[tuple[_Place, str], deque[int]] = defaultdict(deque)
        for place, claim in enumerate(claims):
            self._by_text[_get_span(claim), claim["text"]].append(place)
            if claim["context"] is not None:
                self._by_context[_get_span(claim), claim["context"]].append(place)

    def take(self, claim: ClaimRecord) -> ClaimRecord | None:
        """The first claim that is the same as *claim*; it is nobody else's partner then."""
        span, text = _get_span(claim), claim["text"]
        places = [self._find_first(self._by_text, span, form) for form in (text, claim["context"])]
        places.append(self._find_first(self._by_context, span, text))
        place = min((place for place in places if place is not None), default=None)
        if place is None:
            return None
        self._free[place] = False
        self.n_left -= 1
        return self._claims[place]

    def _find_first(
        self, queues: Mapping[tuple[_Place, str], deque[int]], span: _Place, form: str | None
    ) -> int | None:
        queue = None if form is None else queues.get((span, form))
        # A claim is in two queues; one taken from either is removed from the other here.
        while queue and not self._free[queue[0]]:
            queue.popleft()
        return queue[0] if queue else None


def _get_span(claim: ClaimRecord) -> _Place:
    return claim["start"], claim["end"]


def _order_forms(a: ClaimRecord, b: ClaimRecord) -> tuple[str, str | None]:
    """The claim and its decontextualised form, whichever run has it."""
    if a["text"] != b["text"]:
        return (a["text"], b["text"]) if a["context"] == b["text"] else (b["text"], a["text"])
    return a["text"], a["context"] if a["context"] is not None else b["context"]


def _read_judged(source: Path, irrelevant: Irrelevant) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, record in json_lines(source):
        if source.name != SCORES and "meta" not in record and "error" not in record:
            record = attach_labels(record, number, source, irrelevant=irrelevant)
        yield number, record


def count_claims(record: AnswerRecord) -> CountedAnswer:
    """What the scores need of one record without an error."""
    claims = read_claims(record)
    tokens = load_tokenizer("treebank")
    ends = [end for _, end in sentence_spans(record["prediction"] or "")]
    starts = [claim["start"] for claim in claims if claim["start"] is not None]
    began = Counter(bisect_right(ends, start) for start in starts)
    return CountedAnswer(
        Counts.of_labels([claim["label"] for claim in claims]),
        n_unread=len(record["claims"]) - len(claims),
        n_sentences=len(ends),
        per_sentence=tuple(began[i] for i in range(len(ends))) if len(starts) == len(claims) else (),
        n_tokens=sum(len(tokens(claim["text"])) for claim in claims),
    )


def _compare_claims(
    records: Sequence[AnswerRecord], entailment: StatementEntailment, verifiable: str | None, source: Path
) -> list[dict[str, int | None]]:
    """Claims against their own sentence, and against the verifiable parts; one batch for all records.

    Counts of `CountedAnswer` by name, and `n_unjudged`.
    """
    pairs: list[tuple[str, str]] = []
    plans = []
    for record in records:
        claims = read_claims(record)
        parts = None if verifiable is None else _read_parts(record, verifiable, source)
        located = [claim for claim in claims if claim["start"] is not None]
        plans.append((len(located), len(claims), parts))
        # A claim's own span may be a clause; what DecompScore asks about is its whole sentence.
        answer = Answer(record["id"], record["prediction"] or "")
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
            {
                "n_located": n_located - own.count(None),
                "n_entailed": own.count(True),
                "n_matched": n_matched,
                "n_compared": n_claims - lost if parts else 0,
                "n_unjudged": own.count(None) + lost,
            }
        )
    return found


def _read_parts(record: AnswerRecord, field: str, source: Path) -> list[str]:
    value = record["meta"].get(field)
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise InputError(
            f"{source}: answer {record['id']!r}: field {field!r} of `meta` must be a list of strings, the verifiable "
            f"parts of the answer (empty if there are none), got {value!r}",
            kind="type",
            field=field,
        )
    return [part for part in value if part.strip()]
