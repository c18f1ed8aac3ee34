"""Pronouns and bare nouns given what they stand for, where a simple rule is safe."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

import re
from dataclasses import dataclass

from fas.claims.clause import PRACTITIONER, Clause, Word
from fas.claims.parsed import Sentence, Token

_SINGULAR = frozenset({"it"})
_PLURAL = frozenset({"they"})
_VAGUE = frozenset(
    "it this that these those they he she we i you there one some many most others which who something anything everything someone "
    "anyone everyone nothing all both each none another people patients thing things case way reason time fact example day year "
    "person study studies research doctor physician provider goal bottom line answer question problem issue key point news "
    "please following number lot part rest result".split()
)
_KIND = frozenset(
    "medication drug medicine condition disease disorder infection treatment syndrome supplement vaccine procedure antibiotic virus "
    "therapy illness surgery test hormone vitamin antidepressant cancer bacteria parasite injury agent product remedy pill".split()
)
_HUMAN = frozenset(
    "consider recommend suggest believe think want like advise prefer discuss understand hope ask tell say mention note explain emphasize "
    "offer plan schedule perform prescribe agree feel know look wish decide refer examine order monitor adjust".split()
)
_POINTING = frozenset(
    "recommend suggest advise think believe know estimate expect consider say seem appear happen take cost turn depend matter assume understand "
    "accept hope".split()
)
_RELATIONAL = frozenset(
    "symptom effect cause treatment diagnosis complication sign prognosis prevention onset severity risk".split()
)
_NAMES_TOPIC = [
    r"\b(?:side effects?|symptoms?|signs?|causes?|treatments?|dos(?:e|es|age|ing)|uses?|diagnosis|risks?|benefits?|complications?|effects?|types?|stages?|definition|meaning|dangers?|interactions?|contraindications?|prevention|prognosis|cure) (?:of|for|with|to) (?:using |taking |having |treat )?(.{2,60}?)$",
    r"^(?:what|who)(?: exactly)?(?:'s| is| are) (?:an? |the )?(.{2,40}?)$",
    r"^(?:so |and |but |okay |ok )?(?:what|which)(?: \w+)? (?:can |could |would |may |might )?(?:cause|causes|triggers?) (?:an? |the )?(.{2,40}?)$",
    r"^(?:how|why|when) (?:do|does|did|can|should|is|are|long|often|much|many)\b.{0,30}\b(?:treat|prevent|diagnose|cure|take|get|catch|have) (?:an? |the )?(.{2,40}?)$",
    r"\b(?:tell me|know|information|learn|details|explain)(?: \w+)?(?: more)? about (?:an? |the )?(.{2,40}?)$",
    r"^(?:can|does|do|is|are|will|could|should|has|have) (?:an? |the )?((?:[\w-]+ ){0,2}[\w-]+?) (?:cause|work|help|affect|contagious|safe|treat|dangerous|curable|hereditary|genetic|interact|increase|decrease|make|raise|lower|lead|spread|go away|hurt|come|harmful|bad|good|serious|effective|an?|used|considered|always)\b.*$",
]
_NAMES_TOPIC.append(
    r"\b(?:take|taking|use|using|stop taking|stop using|cutting|stopping|prescribed|prescribe|started|on) (?:an? |the |my |your )?(.{2,40}?)$"
)
_NOT_A_TOPIC = re.compile(
    r"\b(?:i|me|my|you|your|it|this|that|these|those|he|she|they|we|us|and|or|if|when|what|how|why|which|who|is|are|was|were|do|does|can|"
    r"should|would|will|have|has|had|be|been|take|taking|get|go|going|best|good|difference|between|someone|there|thing|reason|way|people|"
    r"normal|treat|used|up|down|out|off|after|before|because|while|doctor|to|from|but|not|so|much|many|long|also)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Referent:
    """Something a later pronoun may stand for.

    Attributes:
        text: How it is named, within a sentence.
        plural: Whether a plural verb goes with it.
        person: Whether it is somebody who treats patients.
    """

    text: str
    plural: bool
    person: bool = False


@dataclass(slots=True)
class Discourse:
    """What has been spoken of so far in one answer.

    Attributes:
        topic: What the question is about, or what the answer began by defining.
        subject: The subject of the last sentence, or None if it was nothing to refer to.
    """

    topic: Referent | None = None
    subject: Referent | None = None


def question_topic(question: str | None) -> Referent | None:
    """What a question is about, if a plain pattern names exactly one thing."""
    if not question or len(question) > 400:
        return None
    sentences = [part.strip() for part in re.split(r"(?<=[.?!])\s+", question.strip()) if part.strip()]
    asked = [part for part in sentences if part.endswith("?")] or sentences
    for sentence in asked[:1]:
        text = sentence.rstrip(" ?.!").strip()
        for pattern in _NAMES_TOPIC:
            match = re.search(pattern, text, re.IGNORECASE)
            if match:
                name = re.sub(r"\s+(?:in|on|for|during|with|at|by|of a|if|when|while)\b.*$", "", match.group(1)).strip(
                    " ,'\""
                )
                if 0 < len(name.split()) <= 4 and not _NOT_A_TOPIC.search(name) and not re.search(r"\d{3}", name):
                    return Referent(_cased(name), _plural(name))
    return None


def _cased(name: str) -> str:
    return name if not name.isupper() or len(name) <= 6 else name.lower()


def _plural(name: str) -> bool:
    word = name.split()[-1].lower()
    return word.endswith("s") and not word.endswith(("ss", "us", "is", "es disease", "betes", "itis"))


def subject_referent(sentence: Sentence, resolved: Referent | None, root: int | None = None) -> Referent | None:
    """What the subject of *sentence* names, for pronouns in the next one.

    Args:
        sentence: The sentence.
        root: Place of the predicate, if not the sentence's root (a reported clause).
        resolved: What its subject stands for, if that is a pronoun that was resolved.
    """
    subject = sentence.child(sentence.root if root is None else root, "nsubj")
    if subject is None:
        return None
    if subject.pos not in {"NOUN", "PROPN"}:
        return resolved if subject.lower in _SINGULAR | _PLURAL else None
    if subject.lemma in _KIND and any(kid.lower in {"this", "these", "that"} for kid in sentence.children(subject.i)):
        return resolved
    if PRACTITIONER.search(subject.text):
        return _named(sentence, subject)
    if subject.lemma in _VAGUE or subject.lower in _VAGUE:
        return None
    return _named(sentence, subject)


def _named(sentence: Sentence, noun: Token) -> Referent | None:
    if PRACTITIONER.search(noun.text) and noun.tag == "NN":
        article = "an" if noun.lower[0] in "aeio" else "a"
        return Referent(f"{article} {noun.lower}", False, person=True)
    if any(
        kid.lower
        in {
            "your",
            "my",
            "our",
            "his",
            "her",
            "their",
            "its",
            "no",
            "any",
            "this",
            "that",
            "these",
            "those",
            "another",
            "other",
        }
        for kid in sentence.children(noun.i)
    ):
        return None
    places = {noun.i}
    for kid in sentence.children(noun.i):
        base = kid.dep.split(":")[0]
        if base in {"conj"}:
            return None
        if (kid.i < noun.i and base in {"det", "amod", "compound", "nummod", "flat", "nmod", "punct"}) or (
            kid.i > noun.i
            and (base == "flat" or (base == "nmod" and sentence.tokens[min(sentence.subtree(kid.i))].lower == "of"))
        ):
            places |= sentence.subtree(kid.i)
    if len(places) > 8 or max(places) - min(places) + 1 != len(places):
        return None
    text = sentence.unit.text[sentence.tokens[min(places)].start : sentence.tokens[max(places)].end]
    first = sentence.tokens[min(places)]
    if first.i == 0 and first.tag not in {"NNP", "NNPS"} and not any(c.isupper() for c in first.text[1:]):
        text = text[:1].lower() + text[1:]
    return Referent(text, noun.tag in {"NNS", "NNPS"})


def defined_topic(sentence: Sentence) -> Referent | None:
    """What a sentence of the form `X is a ...` defines."""
    root = sentence.tokens[sentence.root]
    subject = sentence.child(root.i, "nsubj")
    if (
        subject is None
        or subject.pos not in {"NOUN", "PROPN"}
        or subject.lemma in _VAGUE
        or subject.lemma in _RELATIONAL
    ):
        return None
    determiner = sentence.child(root.i, "det")
    if (
        root.pos != "NOUN"
        or sentence.child(root.i, "cop") is None
        or determiner is None
        or determiner.lower not in {"a", "an"}
    ):
        return None
    return _named(sentence, subject)


def resolve_subject(sentence: Sentence, discourse: Discourse) -> tuple[dict[int, str], set[int], Referent | None]:
    """Wording for the subject of *sentence* if it is a pronoun or `this drug` that can be resolved.

    Returns:
        Replacements by token, tokens that fall away, and what the subject stands for.
    """
    subject = sentence.child(sentence.root, "nsubj")
    if subject is None:
        return {}, set(), None
    plural = subject.lower in _PLURAL
    if subject.lower == "it" and _stands_for_what_follows(sentence, sentence.root):
        return {}, set(), None
    fronted = [kid for kid in sentence.children(sentence.root, "advcl") if kid.i < subject.i]
    if any(inner.pos in {"NOUN", "PROPN"} for kid in fronted for inner in sentence.children(kid.i, "nsubj")):
        return {}, set(), None  # "if the stool is dark, it ...": the nearer noun may be meant
    if plural and sentence.tokens[sentence.root].lemma in _HUMAN and not (discourse.subject and discourse.subject.person):
        return {}, set(), None
    if subject.lower in _SINGULAR | _PLURAL:
        referent = _matching(discourse, plural)
        before = discourse.subject
        if before is not None and before.person:
            # `they` may be one person; only where the verb is the same for both.
            modal = any(kid.tag == "MD" for kid in sentence.children(sentence.root, "aux"))
            referent = before if plural and modal else None
        return ({subject.i: referent.text}, set(), referent) if referent else ({}, set(), None)
    demonstrative = next((kid for kid in sentence.children(subject.i, "det") if kid.lower in {"this", "these"}), None)
    if demonstrative is not None and subject.lemma in _KIND and len(sentence.subtree(subject.i)) == 2:
        referent = _matching(discourse, demonstrative.lower == "these")
        return ({subject.i: referent.text}, {demonstrative.i}, referent) if referent else ({}, set(), None)
    before = discourse.subject
    if demonstrative is not None and before is not None and len(sentence.subtree(subject.i)) == 2:
        name = before.text.lower().split()
        if len(name) > 1 and name[-1] == subject.lower:  # "cluster headaches ... These headaches ..."
            return {subject.i: before.text}, {demonstrative.i}, before
    return {}, set(), None


def resolve_within(parts: list[Clause]) -> list[Clause]:
    """Later clauses of a sentence whose subject is `it` or `they`, with the subject of its first clause."""
    if len(parts) < 2 or (first := parts[0].subject) is None or first.pos not in {"NOUN", "PROPN"}:
        return parts
    sentence = parts[0].sentence
    referent = None if first.lemma in _VAGUE else _named(sentence, first)
    if referent is None or referent.person:
        return parts
    resolved = [parts[0]]
    for part in parts[1:]:
        subject = part.subject
        pronoun = subject is not None and subject.lower in (_PLURAL if referent.plural else _SINGULAR)
        human = referent.plural and part.predicate.lemma in _HUMAN
        if subject is None or not pronoun or human or subject.dep == "expl" or _stands_for_what_follows(sentence, part.root):
            resolved.append(part)
        else:
            resolved.append(part.reworded({subject.i: referent.text}))
    return resolved


def _stands_for_what_follows(sentence: Sentence, place: int) -> bool:
    """`It is recommended to ...`, `it is likely that ...`: the pronoun points forward."""
    root = sentence.tokens[place]
    content = sentence.children(root.i, "ccomp", "csubj", "xcomp", "advcl")
    if not any(
        kid.i > root.i and any(mark.lower in {"to", "that", "for", "if"} for mark in sentence.children(kid.i, "mark"))
        for kid in content
    ):
        return False
    return root.pos in {"ADJ", "NOUN"} or root.lemma in _POINTING


def _matching(discourse: Discourse, plural: bool) -> Referent | None:
    for candidate in (discourse.subject, discourse.topic):
        if candidate is not None:
            return candidate if candidate.plural == plural else None
    return None


def specified(words: list[Word], clause: Clause, topic: Referent | None) -> list[Word]:
    """`Common side effects include nausea` about metformin as `Common side effects of metformin include nausea`."""
    subject = clause.subject
    if topic is None or subject is None or subject.lemma not in _RELATIONAL:
        return words
    kids = clause.sentence.children(subject.i)
    if any(kid.dep.split(":")[0] in {"nmod", "acl", "appos", "conj", "nummod"} for kid in kids):
        return words
    if any(kid.dep.split(":")[0] in {"compound", "flat"} and kid.lower not in {"side", "risk", "core", "key"} for kid in kids):
        return words
    if any(kid.tag in {"NNP", "NNPS", "HYPH"} for kid in kids):
        return words
    if any(
        kid.lower
        in {"this", "these", "no", "any", "your", "its", "their", "that", "those", "each", "other", "some", "a", "an"}
        for kid in kids
    ):
        return words
    if topic.text.lower() in clause.text().lower():
        return words
    place = next((n for n, word in enumerate(words) if word.at == subject.i), None)
    if place is None or (place + 1 < len(words) and words[place + 1].text in {"(", ","}):
        return words
    return [*words[: place + 1], Word(f"of {topic.text}"), *words[place + 1 :]]
