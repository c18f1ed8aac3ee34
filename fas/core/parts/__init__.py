"""The exchangeable parts, three of the pipeline and the detectors beside it, and their registries.

A part is any object with the method and the attribute of its Protocol. Each method takes a batch and returns one result
per item in the same order. A retriever or verifier does not raise for one item, but gives it a `failure`. Caching,
retries and rate limits belong to the part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from fas.core.parts.registry import Registry
from fas.core.parts.registry import list_option_names as list_option_names
from fas.core.records import Answer, Case, Claim, Judgement, Pair, Retrieval

if TYPE_CHECKING:
    from fas.detectors.records import Findings


@runtime_checkable
class ClaimExtractor(Protocol):
    """Turns answers into claims.

    An extractor that waits for a model or a server has the attribute `text_alone` with the value False: the setting
    `text_timeout` then does not limit it.
    """

    @property
    def signature(self) -> str:
        """Pins the claims, e.g. `spacy[fas-en-mini@3]`; no `|`, `:` or newline."""

    def extract(self, answers: Sequence[Answer]) -> list[list[Claim]]:
        """The claims of each answer, in the order of the text.

        It may raise: the pipeline then repeats the batch answer by answer and records each error on its answer.
        """


@runtime_checkable
class ClaimRefiner(Protocol):
    """An extractor that also changes given claims, such as the filter `core`."""

    def refine(self, found: Sequence[Sequence[Claim]], answers: Sequence[Answer]) -> list[list[Claim]]:
        """The remaining claims of those *found* in each of *answers*."""


@runtime_checkable
class Retriever(Protocol):
    """Finds passages that may settle a claim."""

    @property
    def signature(self) -> str:
        """Pins the evidence, e.g. `entrez[2014-2024,k=5]`."""

    def retrieve(self, claims: Sequence[Claim], answers: Sequence[Answer]) -> list[Retrieval]:
        """At most k passages for each claim, best first; *answers* holds the answer of each claim."""


@runtime_checkable
class Verifier(Protocol):
    """Judges claims against passages."""

    @property
    def signature(self) -> str:
        """Pins the judgement, e.g. `nli[fas-nli-mini@15]`; the pipeline adds the threshold."""

    @property
    def needs_evidence(self) -> bool:
        """False if it can judge a claim without a passage, from its own knowledge."""

    def verify(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """One judgement per pair."""


@runtime_checkable
class JointVerifier(Verifier, Protocol):
    """A verifier that reads all passages of a claim at once and gives one judgement on them.

    The pipeline calls `verify_claims` instead of `verify`. A case holds all passages of a claim, because a batch may be
    cut anywhere and is repeated item by item when it fails, which would separate pairs in a row.
    """

    @property
    def reads_passages(self) -> bool:
        """False if it judges from its own knowledge only; giving it evidence is then refused."""

    def verify_claims(self, cases: Sequence[Case]) -> list[Judgement]:
        """One judgement per case."""


@runtime_checkable
class Detector(Protocol):
    """Finds errors in answers.

    A detector that works on the text alone, without a model or a server, has the attribute `text_alone` with the value
    True: the setting `text_timeout` then limits it.
    """

    @property
    def signature(self) -> str:
        """Pins the findings, e.g. `judge[gpt-5,prompt=1-5f0c2a9b]`; no `|`, `:` or newline."""

    def detect(self, answers: Sequence[Answer]) -> list[Findings]:
        """Its findings on each answer; a failure, and not an empty list, where it has no opinion."""


extractors: Registry[ClaimExtractor] = Registry(
    "claim extractor", group="fas.claims", common={"filter": "fas.claims.core:apply_filter"}
)
retrievers: Registry[Retriever] = Registry("evidence source", group="fas.evidence")
verifiers: Registry[Verifier] = Registry("verifier", group="fas.verify")
detectors: Registry[Detector] = Registry("detector", group="fas.detect")
query_writers: Registry[Retriever] = Registry("query writer")

# Retriever factories take `argument` (what follows the colon in `index:DIR`), `k` and the
# options of the profile's [evidence] table.
extractors.add("given", "fas.claims.whole:GivenClaims")
extractors.add("spacy", "fas.claims.extractor:SpacyClauses")
extractors.add("sentences", "fas.claims.whole:WholeSentences")
extractors.add("factscore", "fas.claims.llm.methods:FActScore")
extractors.add("rnd", "fas.claims.llm.methods:RND")
extractors.add("veriscore", "fas.claims.llm.methods:VeriScore")
extractors.add("medscore", "fas.claims.llm.methods:MedScore")
extractors.add("medscore-general", "fas.claims.llm.methods:MedScoreGeneral")
extractors.add("dnd", "fas.claims.llm.methods:DnD")
retrievers.add("passages", "fas.evidence.given:GivenPassages")
retrievers.add("index", "fas.evidence.local:IndexRetriever")
retrievers.add("entrez", "fas.evidence.entrez:EntrezRetriever")
retrievers.add("opensearch", "fas.evidence.opensearch:OpenSearchRetriever")
retrievers.add("snapshot", "fas.evidence.snapshot:SnapshotRetriever")
retrievers.add("none", "fas.evidence.given:NoEvidence")
verifiers.add("nli", "fas.verify.nli:NliVerifier")
verifiers.add("lexical", "fas.verify.lexical:LexicalVerifier")
verifiers.add("internal", "fas.verify.llm:InternalVerifier")
verifiers.add("provided", "fas.verify.llm:ProvidedVerifier")
verifiers.add("retrieved", "fas.verify.llm:RetrievedVerifier")
verifiers.add("dnd", "fas.verify.llm:DndVerifier")
verifiers.add("entailment", "fas.verify.scored:ScoredEntailmentVerifier")
detectors.add("judge", "fas.detectors.judge:Judge")
detectors.add("grounded", "fas.detectors.judge:Grounded")
detectors.add("agents", "fas.detectors.agents:Agents")
detectors.add("claims", "fas.detectors.claims:ClaimsDetector")
verifiers.add("rafe", "fas.verify.rafe:RafeVerifier")
verifiers.add("rafe-strict", "fas.verify.rafe:StrictRafeVerifier")
# Wraps a source that searches, when the [evidence] table sets the option `ask`.
query_writers.add("ask", "fas.evidence.query_rewriting:AskedRetriever")


def count_again(part: object) -> bool:
    """Let *part* count anew what it does, for `notes`; False if it cannot.

    A part with `notes` can if it has a method `recount`, which returns False if a part within it cannot. A part without
    `notes` has no counts.

    >>> count_again("a part without notes")
    True
    """
    recount = getattr(part, "recount", None)
    if recount is None:
        return not hasattr(part, "notes")
    return recount() is not False
