"""Nouns that are always of something (a symptom, a side effect), and of what."""

from __future__ import annotations

import re

from fas.claims.clause import Clause, Word
from fas.claims.discourse import Discourse
from fas.claims.referents import RELATIONAL
from fas.claims.topics import Referent, is_plural_name
from fas.reading.trees import Sentence

OF_USE = frozenset("use take prescribe give administer avoid stop start apply".split())


def fitted(sentence: Sentence, referent: Referent, discourse: Discourse, verb: int | None = None) -> Referent | None:
    """*referent*, unless it is an effect and the predicate speaks of what is used: then the topic."""
    head = re.split(r"\s(?:of|for|in|with)\s", referent.text)[0].split()[-1].lower().rstrip("s")
    if head not in RELATIONAL:
        return referent
    if sentence.tokens[sentence.root if verb is None else verb].lemma not in OF_USE:
        return referent
    _, of, whole = referent.text.partition(" of ")
    topic = Referent(whole, is_plural_name(whole)) if of else discourse.topic
    return topic if topic is not None and topic.plural == referent.plural else None


def specified(words: list[Word], clause: Clause, topic: Referent | None) -> list[Word]:
    """`Common side effects include nausea` about metformin as `Common side effects of metformin include nausea`."""
    subject = clause.subject
    if topic is None or subject is None or subject.lemma not in RELATIONAL:
        return words
    kids = clause.sentence.children(subject.i)
    if any(kid.dep.split(":")[0] in {"nmod", "acl", "appos", "conj", "nummod"} for kid in kids):
        return words
    if any(
        kid.dep.split(":")[0] in {"compound", "flat"} and kid.lower not in {"side", "risk", "core", "key"}
        for kid in kids
    ):
        return words
    if any(kid.tag in {"NNP", "NNPS", "HYPH"} for kid in kids):
        return words
    if any(
        kid.lower in {"this", "these", "no", "any", "your", "its", "their", "that", "those", "each", "a", "an"}
        for kid in kids
    ):
        return words
    if topic.text.lower() in clause.text().lower():
        return words
    place = next((n for n, word in enumerate(words) if word.at == subject.i), None)
    if place is None or (place + 1 < len(words) and words[place + 1].text in {"(", ","}):
        return words
    return [*words[: place + 1], Word(f"of {topic.text}"), *words[place + 1 :]]
