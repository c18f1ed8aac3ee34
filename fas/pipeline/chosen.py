"""The parts that a profile names, put together for a run, and the signature that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fas._version import __version__
from fas.core.answers.schema import ask_meant
from fas.core.errors import ProfileError
from fas.core.loading import loading
from fas.core.parts import (
    ClaimExtractor,
    Retriever,
    Verifier,
    count_again,
    extractors,
    list_option_names,
    query_writers,
    retrievers,
    verifiers,
)
from fas.core.parts.options import part_options, part_spec, query_settings
from fas.core.profile import PartSpec, Profile
from fas.core.records import Claim
from fas.core.records.evidence_source import EVIDENCE_CHOICES, EvidenceSource
from fas.core.records.signature import PartSignature, Signature
from fas.llm.parts import RunModels
from fas.models.precision import precision_name
from fas.scoring.verdicts.judge import check_match
from fas.scoring.verdicts.returned import check_part

if TYPE_CHECKING:
    from fas.llm.dryrun import DryRun
    from fas.reference.scorer import ReferenceScorer
    from fas.safety.checker import SafetyChecker


class ChosenParts:
    """The parts of a run, as a profile names them.

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
        models: The models of a run that these parts belong to; their own by default.

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
        self.evidence = choose_evidence_source(profile, has_passages=has_passages)
        self.notes: tuple[str, ...] = ()
        name, argument = self.evidence.name, self.evidence.argument
        if offline and self.evidence.needs_network:
            raise ProfileError(
                f"evidence '{name}' needs the network, but --offline was given; choices: " + EVIDENCE_CHOICES
            )
        self.has_claims = has_claims
        asked, queried, judged = dry_runs or (None, None, None)
        self.models = models or RunModels(profile.llm, offline=offline)
        # Parts that only check their arguments come first, so that a mistake is reported before a model is loaded.
        retriever = self._make_retriever(name, argument, wrap_source, queried)
        self.retriever = wrap_retriever(retriever) if wrap_retriever else retriever
        claims = part_spec(extractors, profile.claims, profile)
        if claims.options.get("decontextualise") == "after" and getattr(
            verifiers.factory(profile.verify.name), "reads_context", False
        ):
            # It judges the subclaim and reads the longer form beside it; another order of the two is said by `form`.
            claims = PartSpec(claims.name, {"form": "subclaim", **claims.options})
        self.extractor: ClaimExtractor = self.models.create(extractors, claims, dry_run=asked)
        self.references = _make_reference_scorer(profile)
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
                f"verifier {profile.verify.name!r} reads no passages and cannot measure coverage; "
                "switch coverage off, or use a verifier that reads passages"
            )
        self.start_counts()

    def recount(self) -> bool:
        """Count from nothing again, for other answers; False if some part cannot (`fas.core.parts.count_again`)."""
        for part in (self.extractor, self.retriever, self.verifier, self.safety, self.references, self.models):
            if not count_again(part):
                return False
        self.start_counts()
        return True

    def start_counts(self) -> None:
        """Count from nothing; what a pipeline counts besides its parts goes with them."""

    def close(self) -> None:
        """Close the source of evidence, if it can be closed."""
        close = getattr(self.retriever, "close", None)
        if close is not None:
            close()

    def _make_retriever(
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
        thresholds = [f"t={_format_decimal(self.profile.threshold)}"]
        if self.profile.threshold_contradiction is not None:
            thresholds.append(f"tc={_format_decimal(self.profile.threshold_contradiction)}")
        verify = PartSignature.of(self.verifier.signature).plus(*thresholds, at=1)
        chosen = self.profile.claims.options.get("filter")
        claims = self._add_precision(self.extractor.signature, chosen if isinstance(chosen, Mapping) else {})
        return {
            "claims": _note_given_claims(claims, given=self.has_claims),
            "evidence": self._add_precision(self._describe_evidence(), self.profile.evidence_options),
            "verify": self._add_precision(verify, self.profile.verify.options),
            "ref": self.references.signature,
            "bertscore": self._add_precision(self.references.bertscore_signature, self.profile.reference),
            "prec": precision_name(self.profile.precision),
            "w": "/".join(map(_format_decimal, (weights.bertscore, weights.support, weights.no_contradiction))),
            "safety": self.safety.signature if self.safety else "off",
            # Runs that do not look keep the line they have.
            **({"coverage": "references"} if self.profile.coverage else {}),
        }

    def _describe_evidence(self) -> str:
        """The source's signature with k, which decides what is read even where the source knows no k."""
        signature = PartSignature.of(self.retriever.signature)
        if self._searched != "claim":
            signature = signature.plus(f"search={self._searched}")
        if self.evidence.is_none or signature.value("k") is not None:
            return signature
        return signature.plus(f"k={self.profile.k}")

    def _add_precision(self, signature: str, options: Mapping[str, Any]) -> str:
        """A part's signature, with the number format that its *options* name if it is not the run's (`prec`)."""
        own = precision_name(options.get("precision", self.profile.precision))
        if own == precision_name(self.profile.precision):
            return signature
        return PartSignature.of(signature).plus(f"prec={own}")

    def to_search(self, claim: Claim) -> Claim:
        """What is searched for: the claim, or its longer form where it has one and the profile says so."""
        if self._searched == "claim" or claim.context is None:
            return claim
        return replace(claim, text=claim.context)

    @property
    def _claims_seconds(self) -> float:
        return limit_claims_time(self.extractor, self.profile)


def choose_evidence_source(
    profile: Profile, *, has_passages: bool, misnamed: Iterable[tuple[str, str]] = ()
) -> EvidenceSource:
    """The evidence of a run: `none` if none is named and the verifier reads none, else `choose_evidence`.

    Raises:
        ProfileError: There is none to be had.
        LookupError: There is no such verifier.
    """
    if profile.evidence is None and not getattr(verifiers.factory(profile.verify.name), "reads_passages", True):
        return EvidenceSource("none")
    return choose_evidence(profile.evidence, has_passages=has_passages, misnamed=misnamed)


def choose_evidence(
    named: str | None, *, has_passages: bool, misnamed: Iterable[tuple[str, str]] = ()
) -> EvidenceSource:
    """The evidence of a run: what was named, else `passages` if any answer carries some.

    *misnamed* are names of fields that are not read, each with the field that was probably meant.

    Raises:
        ProfileError: Nothing was named and no answer carries passages.
    """
    if named is not None or has_passages:
        return EvidenceSource(named or "passages")
    raise ProfileError(
        "no evidence: no answer carries `passages`, and no other source was named. "
        f"Name one with --evidence (from Python: evidence=): {EVIDENCE_CHOICES}{ask_meant(misnamed, 'passages')}"
    )


def _make_reference_scorer(profile: Profile) -> ReferenceScorer:
    from fas.reference.scorer import ReferenceScorer

    allowed = list_option_names(ReferenceScorer) or []
    unknown = sorted(set(profile.reference) - set(allowed))
    if unknown:
        raise ProfileError(f"reference: no option {unknown[0]!r}; allowed: {', '.join(allowed)}")
    return ReferenceScorer(**part_options(ReferenceScorer, profile.reference, profile))


def _note_given_claims(signature: str, *, given: bool) -> str:
    return f"{signature}+given" if given and signature != "given" else signature


def _format_decimal(value: float) -> str:
    """Two decimals, or as many as it takes to tell *value* from others."""
    text = f"{value:.2f}"
    return text if float(text) == value else repr(float(value))


def limit_claims_time(extractor: ClaimExtractor, profile: Profile) -> float:
    """What the claims of a text may take; no end where a model is asked, which has time-outs of its own."""
    return profile.text_timeout if getattr(extractor, "text_alone", True) else 0
