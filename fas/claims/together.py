"""Lists whose members make sense only together, by how they are joined."""

from __future__ import annotations

from fas.claims.clause import Clause
from fas.reading.trees import Token

_OPEN_ENDED = frozenset("etc etc. others more forth on so like similar none".split())
_DEFINITE = frozenset("the your their its his her our my this these both".split())


def is_one_thing(clause: Clause, place: int, members: list[Token]) -> bool:
    """Whether the members make sense only together, by how they are joined."""
    tokens = clause.sentence.tokens
    first, last = tokens[place], members[-1]
    edge = max(clause.sentence.subtree(last.i))
    conjunctions = [kid for member in members for kid in clause.children(member.i, "cc")]
    if not conjunctions and not any(is_open_ended(clause, member) for member in members):
        return True  # "a tear in the labrum, a cartilage ring": no list, but the same in other words
    inside = [p for p in range(place, edge) if tokens[p].tag == "CC" and 0 < p < len(tokens) - 1]
    if any(tokens[p - 1].tag == "IN" and tokens[p + 1].tag == "IN" for p in inside):
        return True  # "in and around the eyes"
    exemplary = is_exemplary(clause, place)
    cases = {kid.lower for kid in clause.children(place, "case")}
    if cases & {"with"} and not exemplary and "or" not in {cc.lower for cc in conjunctions}:
        return True  # "with soap and water", "patients with asthma and eczema"
    if first.pos in {"VERB", "AUX"} and first.tag != "VBG" and place != clause.root:
        infinitive = any(kid.lower == "to" for kid in clause.children(place, "mark", "aux"))
        if not infinitive and first.dep != "xcomp":
            return True  # what two finite verbs of an inner clause share is hard to tell
    if any(tokens[p].lower == "both" and not tokens[p].dep.startswith("cc") for p in clause.keep):
        return True  # "A and B are both steroids"
    if any(tokens[p].lower in {"its", "their", "his", "her"} for m in members for p in clause.part(m.i)):
        return True  # "the type of infection and its severity"
    if _shares_words(clause, first, members):
        return True
    start = min([place, *(p for kid in clause.children(place) if kid.i < place for p in clause.part(kid.i))])
    if start and place != clause.root and tokens[start - 1].dep == "conj" and tokens[start - 1].pos == "NOUN":
        return True
    after = edge + 1
    while after < len(tokens) and tokens[after].text in {",", ")", '"'}:
        after += 1
    if after in clause.keep and after < len(tokens) and tokens[after].tag in {"WDT", "WP"}:
        return True  # "relieve pain and heal the skin, which ...": of the last one
    if len(members) == 1 and after in clause.keep and after < len(tokens) and tokens[after].lower == "by":
        return True  # "based on symptoms and examination by a doctor": whose is it?
    # "include pain and discomfort during intercourse": of one, or of all?
    return exemplary and after in clause.keep and after < len(tokens) and tokens[after].dep in {"case", "mark"}


def _shares_words(clause: Clause, first: Token, members: list[Token]) -> bool:
    """Whether a member lacks an article or noun of another (`the nose and mouth`, `stomach or intestinal bleeding`)."""

    def left(token: Token) -> list[Token]:
        return [kid for kid in clause.children(token.i) if kid.i < token.i and kid.dep not in {"cc", "punct", "case"}]

    if first.pos != "NOUN":
        return False
    place_is_root = first.i == clause.root
    determiners = {
        "the" if kid.dep == "nmod:poss" else kid.lower
        for kid in left(first)
        if kid.dep.split(":")[0] in {"det", "nmod"}
    }
    lone = [m for m in members if not any(kid.dep.split(":")[0] in {"det", "nmod", "nummod"} for kid in left(m))]
    if determiners & _DEFINITE and any(m.tag == "NN" and not left(m) for m in lone):
        return True
    if determiners & _DEFINITE and len(members) == 1 and lone and not left(lone[0]) and lone[0].pos == "NOUN":
        return True
    if place_is_root and determiners & {"a", "an", "the"} and lone:
        return True  # "a drug for colds, and fevers": the parser joined the wrong two
    if determiners & {"a", "an"} and len(members) == 1 and lone and lone[0].tag == "NN":
        return True
    last = members[-1]
    elliptic = any(kid.dep in {"amod", "compound"} for kid in left(last))
    return len(members) == 1 and first.tag == "NN" and not left(first) and elliptic and last.i - first.i <= 4


def is_open_ended(clause: Clause, member: Token) -> bool:
    """Whether the member only says that there are more (`etc.`, `and others`)."""
    words = {clause.sentence.tokens[p].lower for p in clause.part(member.i)} - {
        "and",
        "or",
        ",",
        "the",
        "so",
        "any",
        "many",
    }
    other = any(kid.lower == "other" for kid in clause.children(member.i, "amod", "det"))
    return other or member.lower in _OPEN_ENDED or words <= _OPEN_ENDED


def is_exemplary(clause: Clause, place: int) -> bool:
    """Whether the list gives examples (`such as`, `including`, `like`, or the object of `include`)."""
    tokens = clause.sentence.tokens
    introduced = {kid.lower for kid in clause.children(place, "case", "fixed", "mark")}
    if introduced & {"including", "such", "like", "e.g.", "especially", "particularly"}:
        return True
    token = tokens[place]
    head = tokens[token.head]
    return token.dep in {"obj", "nmod", "obl"} and head.lemma in {"include", "including"}
