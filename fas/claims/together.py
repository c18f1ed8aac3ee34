"""Lists whose members make sense only together, by how they are joined."""

from __future__ import annotations

from fas.claims.clause import Clause
from fas.reading.trees import Token

_OPEN_ENDED = frozenset("etc etc. others more forth on so like similar none".split())
_DEFINITE = frozenset("the your their its his her our my this these".split())
# "heart, liver or kidney diseases", "stomach or intestinal bleeding": more often before a noun than alone.
_BEFORE_NOUNS = frozenset(
    "heart liver kidney lung brain stomach bladder skin bone thyroid colon breast prostate eye ear blood urine muscle "
    "joint back nerve bowel tissue cell hair sleep mood speech vision hearing sinus tooth chest throat".split()
)
_PEOPLE = frozenset("child adult man woman infant baby adolescent teenager newborn boy girl patient people".split())


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
    if any(tokens[p].lower in {"its", "their", "his", "her"} for m in members for p in clause.part(m.i)):
        return True  # "the type of infection and its severity"
    if _shares_words(clause, first, members):
        return True
    if _is_within_list(clause, place):
        return True  # "cuts or burns of the lip, sharp spices, or toothpaste"
    after = edge + 1
    while after < len(tokens) and tokens[after].text in {",", ")", '"'}:
        after += 1
    if after in clause.keep and after < len(tokens) and tokens[after].tag in {"WDT", "WP"}:
        return True  # "relieve pain and heal the skin, which ...": of the last one
    if len(members) == 1 and after in clause.keep and after < len(tokens) and tokens[after].lower == "by":
        return True  # "based on symptoms and examination by a doctor": whose is it?
    if not exemplary or after not in clause.keep or after >= len(tokens):
        return False
    # "include pain and discomfort during intercourse": of one, or of all?
    return tokens[after].dep in {"case", "mark"} and tokens[after].tag != "TO"


def _left(clause: Clause, token: Token) -> list[Token]:
    """What specifies the noun from the left."""
    return [kid for kid in clause.children(token.i) if kid.i < token.i and kid.dep not in {"cc", "punct", "case"}]


def _shares_words(clause: Clause, first: Token, members: list[Token]) -> bool:
    """Whether a member lacks a word of another that cannot be lent to it (`stomach or intestinal bleeding`)."""
    if first.pos != "NOUN":
        return False
    determiners = {kid.lower for kid in _left(clause, first) if kid.dep.split(":")[0] == "det"}
    bare = {"det", "nmod", "nummod"}
    lone = [m for m in members if not any(kid.dep.split(":")[0] in bare for kid in _left(clause, m))]
    if first.i == clause.root and determiners & {"a", "an", "the"} and lone:
        return True  # "a drug for colds, and fevers": the parser joined the wrong two
    if determiners & {"a", "an"} and len(members) == 1 and lone and lone[0].tag == "NN":
        return True
    last = members[-1]
    elliptic = any(kid.dep in {"amod", "compound"} for kid in _left(clause, last))
    alone = not any(_left(clause, token) for token in [first, *members[:-1]])
    return elliptic and alone and first.lemma in _BEFORE_NOUNS


def shared_owner(clause: Clause, first: Token) -> set[int]:
    """The article or owner of the first member, which is that of bare ones after it, too (`the nose and mouth`)."""
    kids = clause.children(first.i, "det", "nmod") if first.pos == "NOUN" else []
    owning = [kid for kid in kids if kid.i < first.i and (kid.lower in _DEFINITE or kid.dep == "nmod:poss")]
    return {p for kid in owning for p in clause.part(kid.i)}


def shared_tail(clause: Clause, first: Token, members: list[Token]) -> set[int]:
    """What follows the last member and specifies all (`the depth and length of the wound`)."""
    last = members[-1]
    tail = [kid for kid in clause.children(last.i, "nmod", "acl") if kid.i > last.i]
    own = [kid for kid in clause.children(first.i, "nmod", "acl", "appos") if first.i < kid.i < last.i]
    of = any(case.lower == "of" for kid in tail for case in clause.children(kid.i, "case"))
    the = any(kid.lower in {"the", "these"} for kid in clause.children(first.i, "det"))
    definite = (the and of) or (first.lemma in _PEOPLE and last.lemma in _PEOPLE)
    if len(members) != 1 or not tail or own or not definite or _left(clause, last):
        return set()
    return {p for kid in tail for p in clause.part(kid.i)}


def _is_within_list(clause: Clause, place: int) -> bool:
    tokens = clause.sentence.tokens
    current = tokens[place]
    while current.i != clause.root and current.head != current.i:
        above = tokens[current.head]
        inside = above.i in clause.keep
        if current.dep == "conj" and current.i != place and inside and current.i in clause.keep:
            return True
        if above.pos in {"NOUN", "PROPN"} and above.i != clause.root and inside and clause.child(above.i, "conj"):
            return True
        if above.pos not in {"NOUN", "PROPN"}:
            return False
        current = above
    return False


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
    introduced |= {
        kid.lower for kid in clause.children(place, "amod", "advmod") if kid.i < place and kid.lower == "such"
    }
    if introduced & {"including", "such", "like", "e.g.", "especially", "particularly"}:
        return True
    token = tokens[place]
    head = tokens[token.head]
    return token.dep in {"obj", "nmod", "obl"} and head.lemma in {"include", "including"}
