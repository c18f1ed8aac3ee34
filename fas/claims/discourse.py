"""What has been spoken of so far in an answer, for what points back at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fas.claims.topics import Referent


@dataclass(slots=True)
class Discourse:
    """What has been spoken of so far in one answer.

    Attributes:
        topic: What the question is about, or what the answer began by defining.
        question: What was asked.
        asked: What the question is about.
        subject: The subject of the last sentence, or None if it was nothing to refer to.
        lost: Whether the last sentence spoke of something that a pronoun may mean as well as the topic.
        said: The one claim of the last sentence, for `this` behind advice.
        adviser: The practitioner whom the last sentence names, if it is one.
        kinds: What `this hormone` stands for where the last sentence spoke of a hormone beside its subject, by the
            noun; None for one that has no name.
        on_behalf: Whether the answer passes on what a doctor said of this reader.
        person: Who is spoken of as `he` or `she`.
    """

    topic: Referent | None = None
    subject: Referent | None = None
    question: str | None = None
    asked: Referent | None = None
    lost: bool = False
    said: str | None = None
    adviser: Referent | None = None
    kinds: Mapping[str, Referent | None] = field(default_factory=dict)
    on_behalf: bool = False
    person: Referent | None = None

    def forget(self) -> None:
        """Nothing that was said before may be meant by what comes next, but the topic and the person."""
        self.subject, self.lost, self.said, self.adviser = None, False, None, None
        self.kinds = {}
