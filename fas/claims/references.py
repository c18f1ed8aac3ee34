"""Pronouns and `this drug` given what they stand for, where a simple rule is safe, and clauses that need another for it."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

import re

from fas.claims.clause import Clause, third_person
from fas.claims.referents import KIND, PLURAL, RELATIONAL, SINGULAR, VAGUE, Discourse, named
from fas.claims.topics import Referent
from fas.reading.trees import Sentence, Token

_HUMAN = frozenset(
    "consider recommend suggest believe think estimate suspect want like advise prefer discuss understand hope ask tell say mention note explain emphasize "
    "offer plan schedule perform prescribe agree feel know look wish decide refer examine order monitor adjust".split()
)
_POINTING = frozenset(
    "recommend suggest advise think believe know estimate expect consider say seem appear happen take cost turn depend matter assume understand "
    "accept hope".split()
)
_RAISING = frozenset("know think believe consider say estimate expect assume understand".split())
_OF_USE = frozenset("use take prescribe give administer avoid stop start apply".split())
_TREATING = _HUMAN | frozenset(
    "assess evaluate diagnose take conduct test check help determine provide give guide run treat review make able offer".split()
)


_POINTERS = frozenset({"this", "that", "these", "those", "it", "they", "he", "she", "both", "neither"})
_ORDERED = frozenset("first second third latter former other others rest same".split())
_DEMONSTRATIVE = frozenset({"this", "these", "that", "those", "such", "both"})
# "This means" and "this time" do not point at a thing.
_SORTS = frozenset("type kind form sort class".split())
_NO_THING = frozenset("time case point reason way stage moment day year age article section".split())


def resolve_shown(sentence: Sentence, discourse: Discourse) -> tuple[dict[int, str], set[int]]:
    """Wording for `this drug` beside the subject, if no other thing stands before it in the sentence.

    Returns:
        Replacements by token, and tokens that fall away.
    """
    for token in sentence.tokens:
        called = discourse.kinds.get(token.lemma)
        shown = _shown_alone(sentence, token)
        said = any(other.lemma == token.lemma for other in sentence.tokens[: token.i])
        if shown is not None and called is not None and called.plural == (token.tag == "NNS") and not said:
            return {token.i: called.text}, {shown.i}
    for token in sentence.tokens:
        if token.pos not in {"NOUN", "PROPN"} or token.lemma in VAGUE or token.lower in VAGUE:
            continue
        shown = _shown_alone(sentence, token)
        if shown is None or token.lemma not in KIND:
            break
        referent = _matching(discourse, token.tag == "NNS")
        if referent is None or referent.person or referent.text.lower() in sentence.text.lower():
            break
        if token.dep.startswith("nsubj") and token.head == sentence.root:
            break
        return ({}, set()) if _is_relational(referent) else ({token.i: referent.text}, {shown.i})
    return {}, set()


def _is_relational(referent: Referent) -> bool:
    head = re.split(r"\s(?:of|for|in|with)\s", referent.text)[0].split()[-1]
    return head.lower().rstrip("s") in RELATIONAL


def _shown_alone(sentence: Sentence, token: Token) -> Token | None:
    """The `this` or `these` of a noun that has nothing else with it."""
    shown = next((kid for kid in sentence.children(token.i, "det") if kid.lower in {"this", "these"}), None)
    alone = all(kid is shown or kid.dep.split(":")[0] in {"case", "punct"} for kid in sentence.children(token.i))
    return shown if alone else None


_CONTRACTED = {"'s": "is", "'re": "are", "'ll": "will", "'ve": "have", "'d": "would"}


def resolve_subject(sentence: Sentence, discourse: Discourse) -> tuple[dict[int, str], set[int], Referent | None]:
    """Wording for the subject of *sentence* if it is a pronoun or `this drug` that can be resolved.

    Returns:
        Replacements by token, tokens that fall away, and what the subject stands for.
    """
    subject = sentence.child(sentence.root, "nsubj")
    if subject is None:
        return {}, set(), None
    plural = subject.lower in PLURAL
    if subject.lower == "it" and stands_for_what_follows(sentence, sentence.root):
        return {}, set(), None
    fronted = [kid for kid in sentence.children(sentence.root, "advcl") if kid.i < subject.i]
    nearer = [inner for kid in fronted for inner in sentence.children(kid.i, "nsubj")]
    if any(inner.pos in {"NOUN", "PROPN"} or inner.lower in {"this", "that", "these", "those"} for inner in nearer):
        return {}, set(), None  # "if the stool is dark, it ...": the nearer noun may be meant
    if plural and discourse.adviser is not None and sentence.tokens[sentence.root].lemma in _TREATING:
        modal = any(kid.tag == "MD" for kid in sentence.children(sentence.root, "aux"))
        if modal or discourse.on_behalf:
            return _of_one(sentence, subject.i, discourse.adviser.text), set(), discourse.adviser
    if (named_before := discourse.person) is not None and subject.lower in {"he", "she"}:
        return {subject.i: named_before.text}, set(), named_before
    if (
        plural
        and sentence.tokens[sentence.root].lemma in _HUMAN
        and not (discourse.subject and discourse.subject.person)
    ):
        return {}, set(), None
    if subject.lower in SINGULAR | PLURAL:
        referent = _matching(discourse, plural)
        before = discourse.subject
        if before is not None and (before.person or (plural and before.text.startswith(("a ", "an ")))):
            # `they` may be one person, or any such thing; only where the verb is the same for both.
            modal = any(kid.tag == "MD" for kid in sentence.children(sentence.root, "aux"))
            referent = before if plural and modal else None
        if referent is not None and sentence.tokens[sentence.root].lemma in _OF_USE and _is_relational(referent):
            referent = None  # "The most common side effect is nausea. It should not be taken ...": not the effect
        return ({subject.i: referent.text}, set(), referent) if referent else ({}, set(), None)
    his = next((kid for kid in sentence.children(subject.i, "nmod:poss") if kid.lower in {"his", "her"}), None)
    if his is not None and discourse.person is not None:
        return {his.i: _owning(discourse.person.text)}, set(), None
    owner = next((kid for kid in sentence.children(subject.i, "nmod:poss") if kid.lower in {"its", "their"}), None)
    if owner is not None and owner.i == min(sentence.subtree(subject.i)):
        of = _matching(discourse, owner.lower == "their")
        if of is None or of.person or len(of.text.split()) > 3 or (of.plural and discourse.on_behalf):
            return {}, set(), None
        return {owner.i: _owning(of.text)}, set(), of
    demonstrative = next((kid for kid in sentence.children(subject.i, "det") if kid.lower in {"this", "these"}), None)
    kind = subject.lemma in KIND or subject.lemma in discourse.kinds
    if demonstrative is not None and kind and len(sentence.subtree(subject.i)) == 2:
        referent = _matching(discourse, demonstrative.lower == "these")
        if subject.lemma in discourse.kinds:
            referent = discourse.kinds[subject.lemma]
        return ({subject.i: referent.text}, {demonstrative.i}, referent) if referent else ({}, set(), None)
    before = discourse.subject
    phrase = sentence.subtree(subject.i)
    if demonstrative is not None and subject.lemma in RELATIONAL and max(phrase) == subject.i:
        of = before or (None if discourse.lost else discourse.topic)
        if of is not None and not of.person and subject.text.lower().rstrip("s") not in of.text.lower():
            # "Sertraline can cause side effects ... These side effects ...": those of sertraline
            return {subject.i: f"{subject.text} of {of.text}"}, {demonstrative.i}, None
    if demonstrative is not None and before is not None and demonstrative.i == min(phrase) and max(phrase) == subject.i:
        bare = re.sub(r"^(?:some|many|several|the|these) ", "", before.text)
        name = bare.lower().split(" of ")[0].split()
        said = [sentence.tokens[place].lower for place in sorted(phrase) if place != demonstrative.i]
        # "cluster headaches ... These headaches ...", "side effects of X ... These side effects ..."
        if len(bare.split()) > len(said) and name[-len(said) :] == said:
            return {subject.i: bare}, phrase - {subject.i}, Referent(bare, before.plural)
    return {}, set(), None


def _of_one(sentence: Sentence, subject: int, name: str) -> dict[int, str]:
    """*name* in place of the plural pronoun at *subject*, with a verb in its number."""
    root = sentence.tokens[sentence.root]
    helping = sentence.children(root.i, "aux", "cop")
    verb = next((kid for kid in [*helping, root] if kid.tag == "VBP"), None)
    return {subject: name} | ({} if verb is None else {verb.i: third_person(verb.lemma)})


def _owning(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def spelled_out(sentence: Sentence, replaced: dict[int, str]) -> dict[int, str]:
    """*replaced* with the verb that was contracted with a pronoun (`it's`), which cannot be with a name."""
    full = dict(replaced)
    for place in replaced:
        if place + 1 < len(sentence.tokens) and sentence.tokens[place + 1].tag in {"VBZ", "VBP", "MD", "VBD"}:
            word = _CONTRACTED.get(sentence.tokens[place + 1].lower.replace("’", "'"))
            if word is not None:
                full[place + 1] = word
    return full


def resolve_within(parts: list[Clause]) -> list[Clause]:
    """Later clauses of a sentence whose subject is `it` or `they`, with the subject of its first clause."""
    if len(parts) < 2 or (first := parts[0].subject) is None or first.pos not in {"NOUN", "PROPN"}:
        return parts
    sentence = parts[0].sentence
    if parts[0].child(parts[0].root, "ccomp") is not None:
        return parts  # "evidence suggests that zinc helps, but it ...": the evidence or zinc?
    referent = None if first.lemma in VAGUE else named(sentence, first)
    if referent is None or referent.person:
        return parts
    resolved = [parts[0]]
    for part in parts[1:]:
        subject = part.subject
        pronoun = subject is not None and subject.lower in (PLURAL if referent.plural else SINGULAR)
        human = referent.plural and part.predicate.lemma in _HUMAN
        if (
            subject is None
            or not pronoun
            or human
            or subject.dep == "expl"
            or stands_for_what_follows(sentence, part.root)
        ):
            resolved.append(part)
        else:
            resolved.append(part.reworded(spelled_out(sentence, {subject.i: referent.text})))
    return resolved


def stands_for_what_follows(sentence: Sentence, place: int) -> bool:
    """`It is recommended to ...`, `it is likely that ...`: the pronoun points forward."""
    root = sentence.tokens[place]
    if root.lower in {"done", "used", "given", "taken", "made", "meant", "prescribed", "performed", "designed", "worn"}:
        return False
    content = sentence.children(root.i, "ccomp", "csubj", "xcomp", "advcl")
    if root.lower in {"unclear", "clear", "unknown", "uncertain"} and content:
        return True
    if not any(
        kid.i > root.i and any(mark.lower in {"to", "that", "for", "if"} for mark in sentence.children(kid.i, "mark"))
        for kid in content
    ):
        return False
    if root.lower in {"likely", "unlikely", "able", "unable", "sure", "certain", "due", "prone"}:
        return any(mark.lower == "that" for kid in content for mark in sentence.children(kid.i, "mark"))
    if root.pos in {"ADJ", "NOUN"}:
        return True
    marks = {mark.lower for kid in content if kid.i > root.i for mark in sentence.children(kid.i, "mark")}
    if root.lemma in _RAISING and sentence.child(root.i, "aux:pass", "cop") is not None:
        return "that" in marks  # "it is known to cause": the pronoun is what causes
    return root.lemma in _POINTING and bool(marks & {"to", "that", "for"} or root.lemma not in {"consider", "take"})


def _matching(discourse: Discourse, plural: bool) -> Referent | None:
    candidate = discourse.subject or (None if discourse.lost else discourse.topic)
    return candidate if candidate is not None and candidate.plural == plural else None


def points_back(clause: Clause) -> bool:
    """Whether the subject can only be known from an earlier sentence."""
    subject = clause.subject
    if subject is None or subject.i in clause.replaced or subject.dep == "expl":
        return False
    if subject.lower in _POINTERS and _named_before(clause, subject):
        return False
    if subject.lower in _POINTERS:
        # "It is safe to ...", "it takes a week until ...": the pronoun points forward.
        return not (
            subject.lower == "it" and stands_for_what_follows(clause.sentence, clause.root)
        ) and subject.tag not in {"WDT", "EX"}
    kids = clause.children(subject.i)
    alone = all(kid.lower in {"the", "a", "an"} or kid.dep in {"punct", "cc"} for kid in kids)
    if subject.lower in _ORDERED:
        return alone and (subject.lower == "others" or any(kid.lower == "the" for kid in kids))
    if subject.lemma in _NO_THING:
        return False
    if subject.lemma in _SORTS and any(kid.lower in {"this", "these"} for kid in kids):
        return True  # "this type of stool softener": which one?
    shown = any(kid.lower in _DEMONSTRATIVE and kid.dep.startswith("det") for kid in kids)
    ordered = subject.lemma in {"possibility", "option", "reason", "step", "factor", "cause"} and any(
        kid.lower in _ORDERED for kid in kids
    )
    return (shown or ordered) and not any(
        kid.dep.startswith(("acl", "nmod", "conj")) and kid.i > subject.i for kid in kids
    )


def _named_before(clause: Clause, pronoun: Token) -> bool:
    """Whether a clause in front names something that the pronoun may stand for (`if the rash spreads, it ...`)."""
    fronted = [kid for kid in clause.children(clause.root, "advcl") if kid.i < pronoun.i]
    return any(inner.pos in {"NOUN", "PROPN"} for kid in fronted for inner in clause.children(kid.i, "nsubj"))


def needs_more(part: Clause, shared: frozenset[int] = frozenset()) -> bool:
    """Whether a later part of a sentence has a pronoun that only an earlier part explains.

    Args:
        part: The later part.
        shared: Places of words that it has from the earlier part; none of them is what the pronoun stands for.
    """
    if points_back(part) and part.subject is not None and part.subject.i not in shared:
        return True
    for place in sorted(part.keep - shared):
        token = part.sentence.tokens[place]
        if token.pos in {"NOUN", "PROPN"} or place in part.replaced:
            return False
        if token.lower in {"it", "them"} and token.dep.split(":")[0] in {"obj", "obl", "iobj"}:
            return True
    return False
