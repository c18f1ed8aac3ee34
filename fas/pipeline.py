"""The main job: answers -> claims -> passages -> verdicts -> counts -> scores. Read this first.

A `Pipeline` holds the parts a profile names and scores chunks of answers. It does no input
and no output (`fas.runs.folder` does) and no statistics (`fas.scores.aggregate` does). What one answer can
ruin stays on that answer: every stage is tried for the whole chunk, and if it raises, again
for each item alone (`fas.verdicts.one_by_one`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from fas._version import __version__
from fas.errors import ProfileError
from fas.evidence.places import placed
from fas.guards.redaction import redact
from fas.loading import loading
from fas.models.precision import precision_name
from fas.parts import (
    ClaimExtractor,
    ClaimRefiner,
    Retriever,
    Verifier,
    extractors,
    option_names,
    query_writers,
    retrievers,
    verifiers,
)
from fas.parts.counts import recounted
from fas.parts.language_models import RunModels
from fas.parts.options import part_options, part_spec, query_settings
from fas.profile import PartSpec, Profile
from fas.records import (
    Answer,
    AnswerScore,
    Case,
    Claim,
    Flag,
    RecordError,
    ReferenceScores,
    Retrieval,
    Verdict,
)
from fas.records.evidence_source import EVIDENCE_CHOICES, EvidenceSource
from fas.records.signature import PartSignature, Signature
from fas.records.statements import Coverage, Statement
from fas.scores.formula import count, evidence_score, fact_aligned_score, shares
from fas.verdicts.covering import cover, statements_of
from fas.verdicts.judge import check_match, judge
from fas.verdicts.one_by_one import contained
from fas.verdicts.returned import check_part, claims_of, retrievals_of

if TYPE_CHECKING:
    from fas.llm.dryrun import DryRun
    from fas.reference.scorer import ReferenceScorer
    from fas.safety.checker import SafetyChecker

CHUNK = 16

T = TypeVar("T")
R = TypeVar("R")


@dataclass
class Tally:
    """What a run did, for the progress bar, the report's timing and its notes.

    Attributes:
        seconds: Stage to seconds spent.
        n_claims: Claims extracted.
        n_pairs: Claims judged against a passage.
        n_cut: Given passages left out because there were more than k.
        n_same: Passages left out because they repeat another one of the claim.
        n_over: Passages beyond k that an evidence source gave all the same; they are not read.
    """

    seconds: dict[str, float] = field(default_factory=dict)
    n_claims: int = 0
    n_pairs: int = 0
    n_cut: int = 0
    n_same: int = 0
    n_over: int = 0


class Pipeline:
    """Scores answers as a profile says.

    Args:
        profile: The settings.
        has_passages: Whether any answer of the run carries passages; decides the evidence
            where the profile leaves it open.
        has_claims: Whether any answer of the run carries claims (noted in the signature); may be set anew.
        offline: Refuse evidence that needs the network, and ask language models nothing that is not
            in the cache.
        wrap_retriever: Applied to the retriever, for example to record what it finds.
        wrap_source: Applied to what is searched, inside the queries that a language model writes for it.
        dry_runs: Take down what the language models of the extractor, of the queries and of the verifier would be
            asked, in their place.
        models: The models of a run that this pipeline is a part of; its own by default.

    Raises:
        ValueError: No evidence was named and no answer carries passages, or an option of a
            part is wrong.
        LookupError: The profile names a part that does not exist.
    """

    @loading()
    def __init__(
        self,
        profile: Profile,
        *,
        has_passages: bool,
        has_claims: bool = False,
        offline: bool = False,
        wrap_retriever: Callable[[Retriever], Retriever] | None = None,
        wrap_source: Callable[[Retriever], Retriever] | None = None,
        dry_runs: tuple[DryRun, DryRun, DryRun] | None = None,
        models: RunModels | None = None,
    ) -> None:
        self.profile = profile
        self.evidence = evidence_of(profile, has_passages=has_passages)
        self.notes: tuple[str, ...] = ()
        name, argument = self.evidence.name, self.evidence.argument
        if offline and self.evidence.needs_network:
            raise ProfileError(
                f"evidence '{name}' needs the network, but --offline was given; choices: " + EVIDENCE_CHOICES
            )
        self.has_claims = has_claims
        asked, queried, judged = dry_runs or (None, None, None)
        self.models = models or RunModels(profile.llm, offline=offline)
        # What only looks at its arguments comes first, so that a mistake is told before a model is loaded.
        retriever = self._retriever(name, argument, wrap_source, queried)
        self.retriever = wrap_retriever(retriever) if wrap_retriever else retriever
        claims = part_spec(extractors, profile.claims, profile)
        self.extractor: ClaimExtractor = self.models.create(extractors, claims, dry_run=asked)
        self.references = _reference_scorer(profile)
        self.references.text_timeout = profile.text_timeout
        self.safety: SafetyChecker | None = None
        if profile.safety:
            from fas.safety.checker import SafetyChecker

            self.safety = SafetyChecker()
        verify = part_spec(verifiers, profile.verify, profile)
        self.verifier: Verifier = self.models.create(verifiers, verify, dry_run=judged)
        for kind, part in (
            ("evidence source", self.retriever),
            ("claim extractor", self.extractor),
            ("verifier", self.verifier),
        ):
            check_part(kind, part)
        check_match(profile.verify.name, self.verifier, self.evidence)
        if profile.coverage and not getattr(self.verifier, "reads_passages", True):
            raise ProfileError(
                f"verifier {profile.verify.name!r} reads no passages and cannot tell what an answer leaves out; "
                "leave coverage out, or take a verifier that reads passages"
            )
        self.tally = Tally()

    def recount(self) -> bool:
        """Count from nothing again, for other answers; False if some part cannot (`fas.parts.counts`)."""
        for part in (self.extractor, self.retriever, self.verifier, self.safety, self.references, self.models):
            if not recounted(part):
                return False
        self.tally = Tally()
        return True

    def close(self) -> None:
        """Close the source of evidence, if it can be closed."""
        close = getattr(self.retriever, "close", None)
        if close is not None:
            close()

    def _retriever(
        self,
        name: str,
        argument: str | None,
        wrap: Callable[[Retriever], Retriever] | None,
        dry_run: DryRun | None,
    ) -> Retriever:
        """The source of evidence, with the queries of a language model around it where the profile asks for them."""
        options = part_options(retrievers.factory(name), self.profile.evidence_options, self.profile)
        if name == "passages" and getattr(verifiers.factory(self.profile.verify.name), "keeps_order", False):
            options.setdefault("order", "given")
        self._searched = options.pop("search", "claim")
        if self._searched not in ("claim", "context"):
            raise ProfileError(f"evidence: `search` must be 'claim' or 'context', got {self._searched!r}")
        ask = query_settings(options.pop("ask", None), k=self.profile.k)
        if ask is not None and not self.evidence.takes_queries:
            self.notes = (f"evidence '{name}' is not searched: no queries were asked for (ask)",)
            ask = None
        k = self.profile.k if ask is None else self.profile.k // int(ask["queries"])
        retriever: Retriever = retrievers.create(name, argument=argument, k=k, **options)
        retriever = wrap(retriever) if wrap else retriever
        if ask is None:
            return retriever
        return self.models.create(query_writers, PartSpec("ask", ask), dry_run=dry_run, inner=retriever)

    def signature(self, n: int) -> Signature:
        """What pins a score over *n* answers."""
        profile = self.profile
        return Signature(
            {
                "n": str(n),
                **self.settings(),
                "boot": str(profile.n_resamples),
                "seed": str(profile.seed),
                "v": __version__,
            }
        )

    def settings(self) -> dict[str, str]:
        """The part of the signature that decides an answer's score."""
        weights = self.profile.weights
        thresholds = [f"t={_decimal(self.profile.threshold)}"]
        if self.profile.threshold_contradiction is not None:
            thresholds.append(f"tc={_decimal(self.profile.threshold_contradiction)}")
        verify = PartSignature.of(self.verifier.signature).plus(*thresholds, at=1)
        chosen = self.profile.claims.options.get("filter")
        claims = self._with_precision(self.extractor.signature, chosen if isinstance(chosen, Mapping) else {})
        return {
            "claims": _claims_signature(claims, given=self.has_claims),
            "evidence": self._with_precision(self._evidence_signature(), self.profile.evidence_options),
            "verify": self._with_precision(verify, self.profile.verify.options),
            "ref": self.references.signature,
            "bertscore": self._with_precision(self.references.bertscore_signature, self.profile.reference),
            "prec": precision_name(self.profile.precision),
            "w": "/".join(map(_decimal, (weights.bertscore, weights.support, weights.no_contradiction))),
            "safety": self.safety.signature if self.safety else "off",
            # Runs that do not look keep the line they have.
            **({"coverage": "references"} if self.profile.coverage else {}),
        }

    def _evidence_signature(self) -> str:
        """The source's signature with k, which decides what is read even where the source knows no k."""
        signature = PartSignature.of(self.retriever.signature)
        if self._searched != "claim":
            signature = signature.plus(f"search={self._searched}")
        if self.evidence.is_none or signature.value("k") is not None:
            return signature
        return signature.plus(f"k={self.profile.k}")

    def score(self, answers: Sequence[Answer]) -> list[AnswerScore]:
        """The score of each answer, in order; an answer that fails carries its error."""
        errors: dict[int, RecordError] = {}
        claims = self._extract(answers, errors)
        verdicts = self._verify(answers, claims, errors)
        references = self._compare(answers, errors)
        flags = self._check(answers, errors)
        covered = self._cover(answers, errors)
        result = []
        for i, answer in enumerate(answers):
            if i in errors:
                result.append(AnswerScore(answer, error=errors[i]))
            else:
                result.append(self._assemble(answer, verdicts[i], references[i], flags[i], covered.get(i)))
        return result

    def _with_precision(self, signature: str, options: Mapping[str, Any]) -> str:
        """A part's signature, with the number format that its *options* name if it is not the run's (`prec`)."""
        own = precision_name(options.get("precision", self.profile.precision))
        if own == precision_name(self.profile.precision):
            return signature
        return PartSignature.of(signature).plus(f"prec={own}")

    def _assemble(
        self,
        answer: Answer,
        verdicts: Sequence[Verdict],
        reference: ReferenceScores,
        flags: tuple[Flag, ...],
        coverage: Coverage | None,
    ) -> AnswerScore:
        counts = count(verdicts)
        share = shares(counts)
        return AnswerScore(
            answer=answer,
            counts=counts,
            reference=reference,
            fas=fact_aligned_score(share, reference.bertscore_f1, self.profile.weights),
            fas_evidence=evidence_score(share, self.profile.weights),
            support=share.support,
            contra=share.contra,
            unsupported=share.unsupported,
            verdicts=tuple(verdicts),
            flags=flags,
            coverage=coverage,
        )

    def _extract(self, answers: Sequence[Answer], errors: dict[int, RecordError]) -> list[list[Claim]]:
        with self._timed("claims"):
            todo = [i for i, answer in enumerate(answers) if answer.claims is None]
            found = contained(
                partial(claims_of, self.extractor),
                [answers[i] for i in todo],
                seconds=self._claims_seconds,
            )
            claims: list[list[Claim]] = [list(answer.claims or ()) for answer in answers]
            for i, outcome in zip(todo, found, strict=True):
                if isinstance(outcome, Exception):
                    errors[i] = as_error(answers[i], outcome, "prediction")
                else:
                    claims[i] = outcome
            self._refine(answers, claims, errors)
        self.tally.n_claims += sum(map(len, claims))
        return claims

    @property
    def _claims_seconds(self) -> float:
        return claims_seconds(self.extractor, self.profile)

    def _refine(self, answers: Sequence[Answer], claims: list[list[Claim]], errors: dict[int, RecordError]) -> None:
        """Put given claims through the extractor's filter, which the signature names for all."""
        given = [i for i, answer in enumerate(answers) if answer.claims is not None]
        outcomes = refined(self.extractor, [answers[i] for i in given])
        for i, outcome in zip(given, outcomes, strict=True):
            if isinstance(outcome, Exception):
                errors[i] = as_error(answers[i], outcome, "claims")
            else:
                claims[i] = outcome

    def to_search(self, claim: Claim) -> Claim:
        """What is searched for: the claim, or its longer form where it has one and the profile says so."""
        if self._searched == "claim" or claim.context is None:
            return claim
        return replace(claim, text=claim.context)

    def _verify(
        self, answers: Sequence[Answer], claims: Sequence[Sequence[Claim]], errors: Mapping[int, RecordError]
    ) -> list[list[Verdict]]:
        every = [(i, claim) for i, several in enumerate(claims) if i not in errors for claim in several]
        flat = [(i, claim) for i, claim in every if claim.failure is None]
        with self._timed("evidence"):
            outcomes = contained(
                lambda items: retrievals_of(
                    self.retriever, [self.to_search(c) for _, c in items], [answers[i] for i, _ in items]
                ),
                flat,
            )
        retrievals = self._placed(outcomes)
        cases = [
            Case(claim, retrieval.passages, answers[i].question, _source(answers[i], claim))
            for (i, claim), retrieval in zip(flat, retrievals, strict=True)
        ]
        with self._timed("verify"):
            judged = judge(
                self.verifier,
                cases,
                [retrieval.failure for retrieval in retrievals],
                threshold=self.profile.threshold,
                contradiction=self.profile.threshold_contradiction,
                evidence_less=self.evidence.is_none,
            )
        self.tally.n_pairs += judged.n_pairs
        verdicts: list[list[Verdict]] = [[] for _ in answers]
        reached = iter(judged.verdicts)
        for i, claim in every:
            # Nothing is searched for or judged where a sentence could not be taken apart.
            failed = claim.failure is not None
            verdicts[i].append(Verdict(claim, "unverified", failure=claim.failure) if failed else next(reached))
        return verdicts

    def _placed(self, outcomes: Sequence[Retrieval | Exception]) -> list[Retrieval]:
        """What was found, k different passages a claim, whatever the source gave."""
        found = []
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                found.append(Retrieval(failure=redact(f"{type(outcome).__name__}: {outcome}")))
                continue
            kept = placed(outcome, self.profile.k)
            self.tally.n_cut += outcome.n_cut
            self.tally.n_same += outcome.n_same + kept.n_same
            self.tally.n_over += kept.n_over
            found.append(kept.retrieval)
        return found

    def _compare(self, answers: Sequence[Answer], errors: dict[int, RecordError]) -> list[ReferenceScores]:
        with self._timed("reference"):
            outcomes = contained(self.references.score, answers)
        return _or_record(outcomes, answers, errors, "references", ReferenceScores())

    def _check(self, answers: Sequence[Answer], errors: dict[int, RecordError]) -> list[tuple[Flag, ...]]:
        if self.safety is None:
            return [()] * len(answers)
        with self._timed("safety"):
            outcomes = contained(self.safety.check, answers, seconds=self.profile.text_timeout)
        return _or_record(outcomes, answers, errors, "prediction", ())

    def _cover(self, answers: Sequence[Answer], errors: dict[int, RecordError]) -> dict[int, Coverage]:
        """What each answer says of its references; empty where the profile does not ask."""
        if not self.profile.coverage:
            return {}
        with self._timed("coverage"):
            todo = [i for i in range(len(answers)) if i not in errors]
            stated = statements_of(
                [answers[i] for i in todo],
                lambda texts: contained(self.extractor.extract, texts, seconds=self._claims_seconds),
            )
            groups: dict[int, list[tuple[Statement, ...]]] = {}
            for i, found in zip(todo, stated, strict=True):
                if isinstance(found, Exception):
                    errors[i] = as_error(answers[i], found, "references")
                else:
                    groups[i] = found
            outcomes = cover(
                self.verifier,
                [answers[i] for i in groups],
                list(groups.values()),
                threshold=self.profile.threshold,
                contradiction=self.profile.threshold_contradiction,
            )
        return dict(zip(groups, outcomes, strict=True))

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self.tally.seconds[stage] = self.tally.seconds.get(stage, 0.0) + time.perf_counter() - began


def claims_seconds(extractor: ClaimExtractor, profile: Profile) -> float:
    """What the claims of a text may take; no end where a model is asked, which has time-outs of its own."""
    return profile.text_timeout if getattr(extractor, "text_alone", True) else 0


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of *size* items; the last one may be shorter.

    >>> list(chunks("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


def refined(extractor: ClaimExtractor, answers: Sequence[Answer]) -> list[list[Claim] | Exception]:
    """The claims that *answers* brought, behind the filter of *extractor* if it has one; else as they came."""
    if not isinstance(extractor, ClaimRefiner):
        return [list(answer.claims or ()) for answer in answers]
    refine = extractor.refine
    return contained(lambda several: refine([one.claims or () for one in several], several), answers)


def evidence_of(profile: Profile, *, has_passages: bool) -> EvidenceSource:
    """The evidence of a run: `none` if none is named and the verifier reads none, else `choose_evidence`.

    Raises:
        ProfileError: There is none to be had.
        LookupError: There is no such verifier.
    """
    if profile.evidence is None and not getattr(verifiers.factory(profile.verify.name), "reads_passages", True):
        return EvidenceSource("none")
    return choose_evidence(profile.evidence, has_passages=has_passages)


def choose_evidence(named: str | None, *, has_passages: bool) -> EvidenceSource:
    """The evidence of a run: what was named, else `passages` if any answer carries some.

    Raises:
        ProfileError: Nothing was named and no answer carries passages.
    """
    if named is not None or has_passages:
        return EvidenceSource(named or "passages")
    raise ProfileError(
        "no evidence: no answer carries `passages`, and no other source was named. "
        f"Name one with --evidence (from Python: evidence=): {EVIDENCE_CHOICES}"
    )


def _or_record(
    outcomes: Sequence[R | Exception],
    answers: Sequence[Answer],
    errors: dict[int, RecordError],
    field_name: str,
    default: R,
) -> list[R]:
    result: list[R] = []
    for i, outcome in enumerate(outcomes):
        if isinstance(outcome, Exception):
            errors.setdefault(i, as_error(answers[i], outcome, field_name))
            result.append(default)
        else:
            result.append(outcome)
    return result


def as_error(answer: Answer, error: Exception, field_name: str) -> RecordError:
    """The error record of an answer that *error* ruined."""
    return RecordError(type(error).__name__, answer.line, field_name, redact(str(error)))


def _reference_scorer(profile: Profile) -> ReferenceScorer:
    from fas.reference.scorer import ReferenceScorer

    allowed = option_names(ReferenceScorer) or []
    unknown = sorted(set(profile.reference) - set(allowed))
    if unknown:
        raise ProfileError(f"reference: no option {unknown[0]!r}; allowed: {', '.join(allowed)}")
    return ReferenceScorer(**part_options(ReferenceScorer, profile.reference, profile))


def _source(answer: Answer, claim: Claim) -> str | None:
    """What *claim* was taken from."""
    return answer.prediction[claim.start : claim.end] if claim.start is not None else None


def _claims_signature(signature: str, *, given: bool) -> str:
    return f"{signature}+given" if given and signature != "given" else signature


def _decimal(value: float) -> str:
    """Two decimals, or as many as it takes to tell *value* from others."""
    text = f"{value:.2f}"
    return text if float(text) == value else repr(float(value))
