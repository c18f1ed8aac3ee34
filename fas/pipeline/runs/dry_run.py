"""What a run would ask language models, and what that would cost, without sending anything.

How many requests the claims take is known: one a sentence. How many claims there will be is not; they
are made up, as many a sentence as the method found in MedScore's comparison, and the requests
that verify them are counted with passages of a typical length where evidence would have to be
searched for. What is in the cache is counted as answered.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from fas.core.answers.files import BadLine, read_answers, scan
from fas.core.answers.sources import AnswerSource
from fas.core.checks import count_of
from fas.core.parts import Retriever, extractors, verifiers
from fas.core.parts.options import query_settings
from fas.core.profile import PartSpec, Profile
from fas.core.records import Answer, Claim, Passage, Retrieval
from fas.llm.dryrun import NOT_SENT, DryRun
from fas.llm.messages import Prompt, Reply
from fas.llm.parts import uses_language_model
from fas.llm.usage_tracker import UsageEstimate
from fas.pipeline import CHUNK, Pipeline, choose_evidence_source, split_into_chunks

# Claims a sentence on AskDocsAI: MedScore, table 2. DnD's are "of similar quality" as FActScore's
# there (appendix A.1), without a number; of R-ND none a sentence is printed, and FActScore's is taken.
CLAIMS_PER_SENTENCE = {
    "factscore": 4.24,
    "rnd": 4.24,
    "medscore": 1.77,
    "medscore-general": 1.77,
    "veriscore": 0.57,
    "dnd": 4.24,
}
_OTHERWISE = 2.0
PASSAGE_CHARACTERS = 1_600  # a structured abstract
_CLAIM = "Statement number {} stands for a claim that the model would have found here."


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """What a run would take.

    Attributes:
        n: Answers.
        claims: Model to what finding the claims would take.
        queries: Model to what writing the queries for them would take.
        verdicts: Model to what judging them would take.
        assumed: What had to be assumed, a sentence each; empty if the numbers are exact.
        probabilities: Where the probabilities of verdicts come from; None if no model gives verdicts by a word.
    """

    n: int
    claims: Mapping[str, UsageEstimate]
    queries: Mapping[str, UsageEstimate]
    verdicts: Mapping[str, UsageEstimate]
    assumed: tuple[str, ...]
    probabilities: str | None = None

    @property
    def total(self) -> UsageEstimate:
        """The sum; its cost is unknown if that of any model is."""
        return sum([*self.claims.values(), *self.queries.values(), *self.verdicts.values()], start=UsageEstimate())

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {**asdict(self), "total": asdict(self.total)}

    def as_text(self) -> str:
        """A line for each stage and model, the total, and what was assumed."""
        lines = [f"dry run of {count_of(self.n, 'answer')}; nothing was sent"]
        stages = (("claims", self.claims), ("queries", self.queries), ("verdicts", self.verdicts))
        for stage, estimates in stages:
            if stage == "queries" and not estimates:
                continue
            lines += [f"  {stage}, {name}: {one}" for name, one in estimates.items()]
            if not estimates:
                lines.append(f"  {stage}: no language model")
        if self.probabilities is not None:
            lines.append(f"  {self.probabilities}")
        return "\n".join([*lines, f"  total: {self.total}", *(f"! assumed: {one}" for one in self.assumed)])


def estimate_run(
    source: Path | AnswerSource, profile: Profile, *, offline: bool = False, claims_per_sentence: float | None = None
) -> RunEstimate:
    """What scoring *source* would ask language models.

    Args:
        source: The answers; bad lines are passed over.
        profile: The settings.
        offline: As for the run itself.
        claims_per_sentence: How many claims to assume; by default what the method found in
            MedScore's comparison.

    Raises:
        InputError: The file cannot be used.
        ValueError: A setting is impossible.
    """
    found = scan(source)
    evidence = choose_evidence_source(profile, has_passages=found.has_passages, misnamed=found.misnamed)
    finds = uses_language_model(extractors, profile.claims.name)
    judges = uses_language_model(verifiers, profile.verify.name)
    rate = claims_per_sentence
    if rate is None:
        rate = CLAIMS_PER_SENTENCE.get(profile.claims.name, _OTHERWISE)
    if not 0 <= rate < 1000:
        raise ValueError(f"claims per sentence must be at least 0, got {claims_per_sentence!r}")
    queries = query_settings(profile.evidence_options.get("ask"), k=profile.k)
    writes = queries is not None and evidence.takes_queries
    asked, queried, judged = DryRun(_MadeUp(rate)), DryRun(_MadeUpQueries()), DryRun()
    n_typical = profile.k // int(queries["queries"]) if queries is not None and writes else profile.k
    pipeline = Pipeline(
        # Other verifiers cost nothing but time; references and flags neither.
        replace(profile, evidence=evidence, safety=False, verify=profile.verify if judges else PartSpec("lexical")),
        has_passages=found.has_passages,
        has_claims=found.has_claims,
        offline=offline,
        # In the place of what is searched, so that the queries are counted.
        wrap_source=(lambda real: TypicalRetriever(real, n_typical)) if evidence.searches else None,
        dry_runs=(asked, queried, judged),
    )
    n = 0
    for chunk in split_into_chunks(read_answers(source), CHUNK):
        answers = [replace(item, references=()) for item in chunk if not isinstance(item, BadLine)]
        pipeline.score(answers)
        n += len(answers)
    assumed = []
    if finds:
        assumed.append(f"{rate:g} claims a sentence for prompts that the cache does not have")
    if finds and profile.claims.options.get("decontextualise", "none") != "none":
        assumed.append("every statement has something ambiguous and is rewritten")
    if writes and queries is not None:
        assumed.append(f"{queries['queries']} different queries a claim for prompts that the cache does not have")
    if judges and evidence.searches:
        assumed.append(f"{profile.k} passages of {PASSAGE_CHARACTERS} characters a claim; no evidence was searched for")
    describe = getattr(pipeline.verifier, "probabilities", None) if judges else None
    sentence = describe() if describe is not None else None
    return RunEstimate(n, asked.estimates(), queried.estimates(), judged.estimates(), tuple(assumed), sentence)


class _MadeUp:
    """Made-up replies of an extractor's model, with a given number of claims on average."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._n_sentences = self._n_claims = 0

    def __call__(self, prompt: Prompt) -> Reply:
        from fas.claims.llm.replies import AMBIGUITIES_SCHEMA, PAIRS_SCHEMA, STATEMENT_SCHEMA

        if prompt.schema is None:
            return _make_reply("\n".join(f"- {claim}" for claim in self._make_up_claims()) or "No verifiable claim")
        if prompt.schema == PAIRS_SCHEMA:
            pairs = [{"subclaim": claim, "decontextualised": claim} for claim in self._make_up_claims()]
            return _make_reply(json.dumps({"ambiguities": "", "pairs": pairs}))
        if prompt.schema == AMBIGUITIES_SCHEMA:
            found = [{"expression": "it", "meaning": "what the answer is about"}]
            return _make_reply(json.dumps({"ambiguities": found}))
        if prompt.schema == STATEMENT_SCHEMA:
            return _make_reply(json.dumps({"statement": self._make_up_claim()}))
        return Reply(failure=NOT_SENT)

    def _make_up_claims(self) -> list[str]:
        # The n-th sentence gets what brings the sum to n times the rate.
        wanted = int((self._n_sentences + 1) * self._rate + 1e-9) - int(self._n_sentences * self._rate + 1e-9)
        self._n_sentences += 1
        return [self._make_up_claim() for _ in range(wanted)]

    def _make_up_claim(self) -> str:
        self._n_claims += 1
        return _CLAIM.format(self._n_claims)


class _MadeUpQueries:
    """Made-up replies of a query writer's model, each with another query."""

    def __init__(self) -> None:
        self._n = 0

    def __call__(self, prompt: Prompt) -> Reply:
        self._n += 1
        return _make_reply(f"```\nquery number {self._n}\n```")


class TypicalRetriever:
    """A stand-in for the source *real*, which searches: *k* passages of a typical length for every claim."""

    def __init__(self, real: Retriever, k: int) -> None:
        self.signature, self._k = real.signature, k

    def retrieve(self, claims: Sequence[Claim], answers: Sequence[Answer]) -> list[Retrieval]:
        """Passages that differ, because equal passages of a claim are read once."""
        return [Retrieval(tuple(_make_passage(f"{claim.text}#{i}") for i in range(self._k))) for claim in claims]


def _make_passage(name: str) -> Passage:
    return Passage(f"{name} {'evidence ' * (PASSAGE_CHARACTERS // 9)}"[:PASSAGE_CHARACTERS], id=name)


def _make_reply(text: str) -> Reply:
    return Reply(text, finish="stop")
