"""Advice freed from who gives it: `They recommend that you see a urologist` -> `Seeing a urologist is recommended`."""

from __future__ import annotations

from fas.claims.clause import Clause, Word
from fas.claims.imperatives import as_recommended, is_denied
from fas.claims.narrative import ONE_PERSON, RECOMMEND

_PERSONAL = frozenset(
    "i we you he she they doctor physician provider specialist pharmacist expert team nurse dermatologist".split()
)


def recommended(clause: Clause) -> list[Word] | None:
    """`They recommend that you see a urologist` as `Seeing a urologist is recommended`."""
    root = clause.predicate
    subject = clause.subject
    if root.lemma not in RECOMMEND or root.pos != "VERB" or subject is None:
        return None
    if subject.lemma not in _PERSONAL and subject.lower not in _PERSONAL:
        return None
    negative = is_denied(clause, root.i)
    ground = set(clause.part(subject.i))
    front = [
        w for kid in clause.children(root.i, "advcl") if kid.i < subject.i for w in clause.words(clause.part(kid.i))
    ]
    content = clause.child(root.i, "ccomp", "xcomp")
    if content is not None:
        inner = clause.only(set(clause.part(content.i)), content.i)
        own = inner.child(content.i, "nsubj", "csubj", "expl")
        if own is not None and own.lower in ONE_PERSON:
            return None
        if own is not None and own.lower not in {"you", "patients"}:
            if content.tag == "VBG" or inner.child(content.i, "cop"):
                return None
            marks = {p for kid in inner.children(content.i, "mark") for p in inner.part(kid.i)}
            words = inner.words(inner.keep - marks)
            if not inner.children(content.i, "aux"):
                words = [Word(f"should {content.lemma}", content.i) if word.at == content.i else word for word in words]
            return [*front, *words]
        gone = {
            p
            for kid in inner.children(content.i, "mark", "nsubj")
            if kid.lower in {"that", "to", "you", "patients"}
            for p in inner.part(kid.i)
        }
        gone |= {aux.i for aux in inner.children(content.i, "aux")}
        late = [kid for kid in clause.children(root.i, "advcl") if kid.i > content.i]
        inner = inner.without(gone)
        if content.pos not in {"VERB", "AUX"}:
            return None
        advice = as_recommended(inner, front)
        if advice is None:
            return None
        tail = [w for kid in late for w in clause.words(clause.part(kid.i))]
        return [*_denied(advice, negative), *tail]
    thing = clause.child(root.i, "obj")
    if thing is None or thing.lower in {
        "you",
        "it",
        "this",
        "that",
        "them",
        "number",
        "few",
        "things",
        "something",
        "anything",
    }:
        return None
    if any(aux.lower in {"may", "might", "can", "could"} for aux in clause.children(root.i, "aux")):
        return None
    places = set(clause.part(thing.i))
    rest = {p for p in clause.keep if p > max(places)}
    single = any(kid.lower in {"a", "an"} for kid in clause.children(thing.i, "det"))
    several = thing.tag in {"NNS", "NNPS"} or clause.child(thing.i, "conj") is not None
    verb = "are" if several and not single else "is"
    verdict = Word(f"{verb} {'not ' if negative else ''}recommended", root.i)
    return [*front, *clause.words(places), verdict, *clause.words(rest - ground)]


def _denied(words: list[Word], negative: bool) -> list[Word]:
    if not negative:
        return words
    return [Word("is not recommended", word.at) if word.text == "is recommended" else word for word in words]
