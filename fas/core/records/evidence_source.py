"""The evidence source of a run, by its name: `passages`, `index:DIR`, `entrez`, ..."""

from __future__ import annotations

from pathlib import Path

from fas.core.errors import ProfileError

EVIDENCE_CHOICES = "passages | index:DIR | index:NAME=DIR,... | entrez | opensearch:URL/INDEX | snapshot:FILE | none"
_NEEDS = {"index": "a folder", "opensearch": "URL/INDEX", "snapshot": "a file"}
_BARE = frozenset({"passages", "entrez", "none"})


class EvidenceSource(str):
    """The choice of `--evidence`: a text, with its parts as attributes; a ProfileError if the argument is missing or
    surplus.

    >>> EvidenceSource("index:notes").name, EvidenceSource("index:notes").argument
    ('index', 'notes')

    Attributes:
        name: Name of the source, as registered; sources of other packages may have any.
        argument: The text after the colon, if any.
    """

    name: str
    argument: str | None

    def __new__(cls, choice: str) -> EvidenceSource:
        """Check *choice* and take it apart; one that was checked is the same again."""
        name, colon, argument = choice.partition(":")
        if name in _NEEDS and not argument:
            raise ProfileError(f"evidence {choice!r} needs {_NEEDS[name]} after the colon; choices: {EVIDENCE_CHOICES}")
        if name in _BARE and colon:
            raise ProfileError(
                f"evidence {name!r} takes no argument after a colon, got {choice!r}; choices: {EVIDENCE_CHOICES}"
            )
        own = super().__new__(cls, choice)
        own.name, own.argument = name, argument or None
        return own

    def absolute(self) -> EvidenceSource:
        """The same with absolute paths, so that it is valid in any working folder.

        >>> EvidenceSource("index:a=/x,b=/y").absolute(), EvidenceSource("entrez").absolute()
        ('index:a=/x,b=/y', 'entrez')
        """
        if self.name not in ("index", "snapshot") or self.argument is None:
            return self
        if self.name == "snapshot" or "=" not in self.argument or Path(self.argument).is_dir():
            return EvidenceSource(f"{self.name}:{Path(self.argument).absolute()}")
        parts = (part.partition("=") for part in self.argument.split(","))
        return EvidenceSource(
            "index:" + ",".join(f"{name}={Path(folder.strip()).absolute()}" for name, _, folder in parts)
        )

    @property
    def is_none(self) -> bool:
        """Whether the run uses no evidence."""
        return self.name == "none"

    @property
    def needs_network(self) -> bool:
        """Whether it asks a server."""
        return self.name in ("entrez", "opensearch")

    @property
    def searches(self) -> bool:
        """Whether it needs a search, which dry runs leave out."""
        return self.name not in ("passages", "none")

    @property
    def takes_queries(self) -> bool:
        """Whether it can search for other words than the claim's; given and recorded passages cannot change."""
        return self.name not in ("passages", "snapshot", "none")
