"""Whether the ids of an evidence source are PMIDs, so that a reader can be led to the article.

A number may be anybody's id. Only the source knows, and says so in its signature: PubMed itself by its name, an index
of PubMed's files and a snapshot of either by the word `pmid`.
"""

from __future__ import annotations

from fas.core.records.signature import PartSignature

PMID = "pmid"
_PUBMED = "entrez"


def has_pmids(evidence: str) -> bool:
    """Whether a source with the signature *evidence* gives PMIDs for ids.

    >>> [has_pmids(evidence) for evidence in ("entrez[all,k=5,q1]", "index[3f0c9a21b7de,k=5,pmid]", "passages[k=5]")]
    [True, True, False]
    """
    source = PartSignature.of(evidence)
    return source.name == _PUBMED or PMID in source.settings
