"""Coordinated and juxtaposed predicates taken apart, with what they share given to each."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

import itertools
from dataclasses import replace

from fas.claims.advice import is_imperative, is_put_in
from fas.claims.clause import Clause
from fas.claims.seams import broken
from fas.reading.trees import NEGATIONS, Token

_SHARED_CONDITIONS = frozenset("if unless when whenever while until till before after once provided".split())
MOST_CLAIMS = 24
"""A sentence is taken apart into at most so many claims; coordinations beyond stay whole."""

POSSIBILITY = frozenset("may might can could".split())
# "Do not smoke and avoid alcohol" does not forbid avoiding it.
_NEVER_FORBIDDEN = frozenset("avoid call contact seek consult limit".split())
_INTRANSITIVE = frozenset(
    "rest sleep exercise relax wait lie sit stand walk stop occur happen recur persist worsen improve vary heal breathe eat drink come go "
    "rise fall spread grow swim run work hydrate fast stretch".split()
)


def split_predicates(clause: Clause) -> list[Clause]:
    """One clause per coordinated or juxtaposed predicate, subjects, auxiliaries and conditions shared."""
    done: list[Clause] = []
    waiting = [clause]
    while waiting:
        current = waiting.pop(0)
        parts = _split_once(current) if len(done) + len(waiting) < MOST_CLAIMS else []
        if parts:
            waiting = parts + waiting
        else:
            done.append(current)
    return done


def _split_once(clause: Clause) -> list[Clause]:
    sentence, root = clause.sentence, clause.root
    beside = [kid for kid in clause.children(root, "parataxis") if _is_finite(clause, kid)]
    # "the support you need to recover": no second clause begins without a mark of punctuation.
    beside = [kid for kid in beside if _set_off(clause, kid)]
    if beside:
        rest = clause.without(set().union(*(sentence.subtree(kid.i) for kid in beside)))
        parts = [rest, *(clause.only(sentence.subtree(kid.i), kid.i) for kid in beside)]
        if all(part.is_complete and not broken(part) for part in parts):
            return sorted(parts, key=lambda part: min(part.keep))
    members = [kid for kid in clause.children(root, "conj") if is_predicate(clause, kid.i)]
    if not members or not is_predicate(clause, root) or not _may_separate(clause, root, members):
        return []
    if not all(_joined(clause, root, member) for member in members):
        return []
    shared = _shared(clause, root, members)
    own_subjects = any(clause.child(member.i, "nsubj", "csubj", "expl") for member in members)
    if own_subjects and any(kid.i in shared["front"] for kid in clause.children(root, "obl")):
        return []  # "during pregnancy, A is avoided, but B is safe": of the first alone, or of both?
    lent = frozenset(kid.i for kid in clause.children(root) if kid not in members)
    others = set().union(*(sentence.subtree(member.i) for member in members))
    trailing = _trailing_conditions(clause, members[-1])
    alone = all(clause.child(member.i, "nsubj", "csubj", "expl") is None for member in members)
    first = clause.only((clause.keep - others) | (trailing if alone else set()))
    if alone and trailing:
        heads = frozenset(kid.i for kid in clause.children(members[-1].i) if kid.i in trailing)
        first = replace(first, adopted=first.adopted | heads)
        lent |= heads
    parts = [first]
    for member in members:
        own = set(sentence.subtree(member.i))
        own -= {kid.i for kid in clause.children(member.i, "cc") if kid.i < member.i}
        own -= {kid.i for kid in clause.children(member.i, "punct") if kid.i < member.i}
        taken = _taken_over(clause, root, member, shared) | (trailing if alone else set())
        part = clause.only(own | taken, member.i).reworded(_prohibiting(clause, member))
        parts.append(replace(part, adopted=lent & frozenset(taken)))
    if any(is_imperative(part) and _says_nothing(part) for part in parts):
        return []  # "recheck and repeat if it is low"
    # A part that is no clause shows that the parser went astray: better whole than broken.
    return parts if all((part.is_complete or is_imperative(part)) and not broken(part) for part in parts) else []


def is_predicate(clause: Clause, place: int) -> bool:
    """Whether the token is a verb, or has a copula or a subject."""
    token = clause.sentence.tokens[place]
    if token.pos in {"VERB", "AUX"}:
        return True
    return clause.child(place, "cop", "nsubj", "csubj") is not None


def _is_finite(clause: Clause, token: Token) -> bool:
    return is_predicate(clause, token.i) and clause.child(token.i, "nsubj", "csubj", "expl") is not None


def _says_nothing(part: Clause) -> bool:
    """Whether a command has nothing but its verb, and perhaps a condition."""
    return part.predicate.lemma not in _INTRANSITIVE and not [
        kid
        for kid in part.children(part.root, "obj", "obl", "xcomp", "ccomp", "advmod", "compound")
        if kid.i > part.root
    ]


def _prohibiting(clause: Clause, member: Token) -> dict[int, str]:
    """Wording for the auxiliary of `don't drink` behind a command that was given its subject."""
    helping = clause.children(member.i, "aux", "cop")
    do = next((kid for kid in helping if kid.lower == "do"), None)
    if do is None or not is_put_in(clause):
        return {}
    denied = {kid.i: "not" for kid in clause.children(member.i) if kid.lower in {"n't", "n’t"}}
    return {do.i: "should"} | denied


def _set_off(clause: Clause, token: Token) -> bool:
    first = min(clause.sentence.subtree(token.i))
    around = clause.sentence.tokens[max(0, first - 1) : first + 1]
    return first == 0 or any(word.pos == "PUNCT" or word.tag == "CC" for word in around) or first > token.i


def _joined(clause: Clause, root: int, member: Token) -> bool:
    """Whether a conjunction or punctuation joins the predicates, and one may be coordinated with the other."""
    tokens = clause.sentence.tokens
    first = min(clause.sentence.subtree(member.i))
    between = [tokens[p] for p in range(root + 1, max(first + 1, member.i)) if p in clause.keep]
    if not any(word.tag == "CC" or word.text in {",", ";", ":", "–", "—", "-"} for word in between):
        return False
    # "causes pain, clenching or ...": a participle is no second predicate of a finite verb.
    if member.lower in {"provided", "providing", "assuming", "granted"} and tokens[member.i - 1].text == ",":
        return False  # "..., provided they have no fever"
    bare = clause.child(member.i, "aux", "cop", "nsubj") is None
    return not (bare and member.tag == "VBG" and tokens[root].tag != "VBG" and tokens[root].pos == "VERB")


def _may_separate(clause: Clause, root: int, members: list[Token]) -> bool:
    tokens = clause.sentence.tokens
    conjunctions = {cc.lower for member in members for cc in clause.children(member.i, "cc")}
    if any(cc.lower in {"both", "either", "neither"} for cc in clause.children(root, "cc")) and "or" in conjunctions | {
        "or"
    }:
        return "and" in conjunctions
    if {"/", "and/or"} & conjunctions or not_only(clause):
        return False
    if {"or", "nor"} & conjunctions:
        possible = {aux.lower for aux in clause.children(root, "aux")} & POSSIBILITY
        if not (possible or clause.negated):
            return False
    last = members[-1]
    # "prevent and treat infections": the object belongs to both verbs but hangs on one.
    bare = last.i - root == 2 and tokens[root + 1].dep.startswith("cc") and tokens[root].lemma not in _INTRANSITIVE
    return not (bare and clause.child(last.i, "obj", "obl", "xcomp") and not clause.child(root, "obj", "obl", "xcomp"))


def not_only(clause: Clause) -> bool:
    """Whether `not only ... but also` joins something in the clause."""
    words = [clause.sentence.tokens[place].lower for place in sorted(clause.keep)]
    return any(a in {"not", "n't"} and b in {"only", "just"} for a, b in itertools.pairwise(words))


def _shared(clause: Clause, root: int, members: list[Token]) -> dict[str, set[int]]:
    """What the first predicate lends to the others, by kind."""
    sentence = clause.sentence
    subject = clause.subject
    shared: dict[str, set[int]] = {
        "subject": set(),
        "front": set(),
        "aux": set(),
        "negation": set(),
        "mark": set(),
        "cop": set(),
        "after": set(),
    }
    border = subject.i if subject else root
    for kid in clause.children(root):
        places = sentence.subtree(kid.i)
        base = kid.dep.split(":")[0]
        if base in {"nsubj", "csubj", "expl"}:
            shared["subject"] |= places
        elif base == "aux":
            shared["aux"] |= places
        elif base == "cop":
            shared["cop"] |= places
        elif kid.lower in NEGATIONS:
            shared["negation"] |= places
        elif base == "mark" and kid.lower == "to":
            shared["mark"] |= places
        elif base in {"advcl", "obl", "advmod"} and kid.i < border and kid.i < root:
            shared["front"] |= places
            shared["front"] |= {p.i for p in clause.children(root, "punct") if p.i < border and p.i > kid.i}
        elif kid.i > max(max(sentence.subtree(member.i)) for member in members) and base not in {
            "punct",
            "conj",
            "cc",
            "parataxis",
        }:
            shared["after"] |= places
    return shared


def _taken_over(clause: Clause, root: int, member: Token, shared: dict[str, set[int]]) -> set[int]:
    sentence = clause.sentence
    own_subject = clause.child(member.i, "nsubj", "csubj", "expl") is not None
    taken = set(shared["after"])
    fronted = [kid for kid in clause.children(root, "advcl") if kid.i in shared["front"]]
    conditional = any(
        mark.lower in _SHARED_CONDITIONS for kid in fronted for mark in clause.children(kid.i, "mark", "advmod")
    )
    if not own_subject or conditional:
        taken |= shared["front"]
    if own_subject:
        return taken
    taken |= shared["subject"]
    predicate = sentence.tokens[root]
    has_aux = clause.child(member.i, "aux", "cop") is not None
    conjunctions = {cc.lower for cc in clause.children(member.i, "cc")}
    if not has_aux:
        plain = member.tag in {"VB", "VBP"} and predicate.tag in {"VB", "VBP"}
        if member.pos in {"VERB", "AUX"} and (
            plain or member.tag == predicate.tag or (shared["aux"] and {member.tag, predicate.tag} <= {"VBN", "VBD"})
        ):
            taken |= shared["aux"]
            anew = member.lemma in _NEVER_FORBIDDEN and not conjunctions & {"or", "nor"}
            if conjunctions & {"or", "nor"} or (shared["aux"] and "but" not in conjunctions and not anew):
                taken |= shared["negation"]
            elif shared["negation"] and "but" in conjunctions:
                # "do not promote, but help": the auxiliary was there for the negation
                taken -= {p for p in shared["aux"] if sentence.tokens[p].lemma == "do"}
        elif member.pos not in {"VERB", "AUX"}:
            taken |= shared["aux"] | shared["cop"]
            if "but" not in conjunctions:
                taken |= shared["negation"]
        if clause.child(member.i, "mark") is None:
            taken |= shared["mark"]
    return taken


def _trailing_conditions(clause: Clause, member: Token) -> set[int]:
    found: set[int] = set()
    for kid in clause.children(member.i, "advcl"):
        marks = {mark.lower for mark in clause.children(kid.i, "mark", "advmod")}
        if kid.i > member.i and marks & _SHARED_CONDITIONS:
            found |= clause.sentence.subtree(kid.i)
    return found
