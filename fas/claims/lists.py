"""A list of nouns, or of anything below the predicate, taken apart where each member alone is still what the sentence says."""

# ruff: noqa: E501 - word lists are easier to check on one line

from __future__ import annotations

from dataclasses import replace

from fas.claims.clause import Clause, third_person
from fas.claims.coordination import MOST_CLAIMS, POSSIBILITY, is_predicate, not_only
from fas.claims.seams import broken
from fas.claims.together import is_exemplary, is_one_thing, is_open_ended
from fas.reading.command_words import ADVICE_VERBS
from fas.reading.trees import Token

# Nouns and verbs whose coordinated dependents belong together.
_COLLECTIVE = frozenset(
    "combination mixture mix interaction relationship relation difference distinction balance imbalance association link comparison "
    "ratio correlation connection similarity overlap conflict blend pair sum union interplay interval gap distance boundary "
    "transition alternation coordination communication range cross choice".split()
)
_COLLECTIVE_VERBS = frozenset(
    "combine mix compare differ distinguish separate alternate merge balance interact overlap differentiate range consist compose "
    "divide classify unite blend swap switch choose vary match pair split fall".split()
)
# "Height and weight are related": to each other.
_MUTUAL = frozenset(
    "relate related correlate link linked connect associate equal similar different identical same".split()
)
_TOGETHER = frozenset("together respectively alternately simultaneously jointly each combined".split())
_ALTERNATIVES_ALLOWED = frozenset("include including such like avoid".split())
_LISTED = frozenset(
    "symptom effect sign cause factor example option treatment complication trigger feature indication contraindication type form "
    "medication drug source method measure way benefit risk test remedy therapy finding manifestation".split()
)
_PARTS = frozenset("det amod nummod compound nmod case acl appos advmod flat fixed obl punct mark obj xcomp".split())
_WITHIN = frozenset({"acl:relcl", "acl", "advcl", "ccomp"})
_KINDS = dict.fromkeys(("NN", "NNS", "NNP", "NNPS", "VBG", "FW", "GW", "AFX"), "nominal") | dict.fromkeys(
    ("VB", "VBP", "VBZ", "VBD", "VBN"), "verb"
)


def distribute(clause: Clause) -> list[Clause]:
    """One clause per member of one list, the last that has no list in it or around it and may be taken apart.

    Of several lists one alone is: which word of one goes with which of the other is what parsers get wrong.
    """
    tokens = clause.sentence.tokens
    joined = {place for place in clause.keep if tokens[place].dep == "conj" and tokens[place].head in clause.keep}
    for head in sorted({tokens[place].head for place in joined} - joined, reverse=True):
        inside = clause.sentence.subtree(head) & joined
        members = {member.i for member in _members(clause, head)}
        if head == clause.root and any(is_predicate(clause, place) for place in members):
            continue  # coordinated predicates, which `split_predicates` has left together
        around = {place for place in joined if head in clause.sentence.subtree(place)}
        if inside == members and not around and len(members) < MOST_CLAIMS:
            parts = _distributed(clause, head)
            if len(parts) > 1:
                return parts
    return [clause]


def _distributed(clause: Clause, place: int) -> list[Clause]:
    sentence = clause.sentence
    members = _members(clause, place)
    if not members or not _may_distribute(clause, place, members):
        return [clause]
    first = sentence.tokens[place]
    last_edge = max(max(sentence.subtree(member.i)) for member in members)
    preconjunction = {kid.i for kid in clause.children(place, "cc") if kid.i < place}
    own = {place} | preconjunction
    for kid in clause.children(place):
        base = kid.dep.split(":")[0]
        if (
            base in _PARTS
            and kid.i < last_edge
            and (place != clause.root or base not in {"advmod", "obl", "mark", "punct"} or kid.i > place)
        ):
            own |= sentence.subtree(kid.i)
    lent = {p for kid in clause.children(place, "case", "mark") if kid.i < place for p in sentence.subtree(kid.i)}
    opening = min(p for p in own if p not in preconjunction)
    if sentence.tokens[opening].tag in {"IN", "TO"}:
        lent.add(opening)  # a preposition that the parser hung on a word before the noun
    lent |= {p - 1 for p in lent if sentence.tokens[p].lower == "as" and p and sentence.tokens[p - 1].lower == "such"}
    between = {p for p in range(place, last_edge + 2) if p < len(sentence.tokens) and sentence.tokens[p].text == ","}
    of_members = [_own_part(clause, member) for member in members]
    everything = set().union(*of_members)
    real = [n for n, member in enumerate(members) if not is_open_ended(clause, member)]
    if not real:
        return [clause]
    parts = [_agreeing(_closed_up(clause.without(everything | preconjunction), place, between), first)]
    for n in real:
        member = members[n]
        gone = own | (everything - of_members[n])
        gone |= {kid.i for kid in clause.children(member.i, "cc", "punct") if kid.i < member.i}
        gone |= {p for other in members for p in (kid.i for kid in clause.children(other.i, "cc"))}
        if clause.child(member.i, "case", "mark") is None:
            gone -= lent
        part = clause.without(gone)
        if place == clause.root:
            lent_too = frozenset(kid.i for kid in clause.children(place) if kid not in members)
            part = replace(part.only(part.keep, member.i), adopted=lent_too)
        if clause.subject is first:
            part = replace(part, subject_at=member.i)
        parts.append(_agreeing(_closed_up(part, member.i, between), member, first))
    return [clause] if any(broken(part) for part in parts) else parts


def _closed_up(part: Clause, place: int, commas: set[int]) -> Clause:
    """*part* without a comma of the list that now stands between its subject and its verb."""
    places = sorted(part.keep)
    last = max((p for p in part.part(place) if part.sentence.tokens[p].text != ","), default=place)
    after = next((p for p in places if p > last), None)
    subject = part.sentence.tokens[place].dep.startswith("nsubj") or part.subject_at == place
    return part.without({after}) if subject and after in commas and after is not None else part


def _members(clause: Clause, place: int) -> list[Token]:
    """All members of the list that begins at *place*, also where the parser hung one on the other."""
    found: list[Token] = []
    for kid in clause.children(place, "conj"):
        found += [kid, *_members(clause, kid.i)]
    return sorted(found, key=lambda member: member.i)


def _own_part(clause: Clause, member: Token) -> set[int]:
    """A member and its dependents, without the members hung on it."""
    places = set(clause.sentence.subtree(member.i))
    for kid in clause.children(member.i, "conj"):
        places -= clause.sentence.subtree(kid.i)
    return places


def _may_distribute(clause: Clause, place: int, members: list[Token]) -> bool:
    sentence = clause.sentence
    first = sentence.tokens[place]
    everyone = [first, *members]
    if any(token.tag == "CD" or token.pos in {"NUM", "SYM", "PRON", "DET", "ADP", "X"} for token in everyone):
        return False
    if len({_KINDS.get(token.tag, token.pos) for token in everyone}) > 1:
        return False  # members of different kinds: the parser went astray
    if any(sentence.negated(member.i) or clause.child(member.i, "nsubj", "csubj") for member in members):
        return False
    cases = [{kid.lower for kid in clause.children(token.i, "case")} for token in everyone]
    if any(case and cases[0] and case != cases[0] for case in cases[1:]):
        return False  # "in babies under 3 months or in chickenpox": joined to something else
    if not _list_is_whole(clause, place, members) or is_one_thing(clause, place, members):
        return False
    if not_only(clause) or any(sentence.tokens[p].lower in _TOGETHER for p in clause.keep):
        return False
    conjunctions = {cc.lower for member in members for cc in clause.children(member.i, "cc")}
    before = {kid.lower for kid in clause.children(place, "case", "cc")}
    if {"and", "or"} <= conjunctions:
        return False  # "cough with phlegm or pus, fever, and chills": two lists in one
    if {"/", "and/or", "vs", "vs.", "versus", "plus", "than", "nor"} & conjunctions or {
        "between",
        "neither",
        "among",
        "from",
    } & before:
        return False
    if any(sentence.tokens[p].text == "/" for p in range(place, members[-1].i)):
        return False
    exemplary = is_exemplary(clause, place)
    if not _path_allows(clause, place, exemplary):
        return False
    if ("or" in conjunctions or "either" in before) and not (exemplary or _alternatives_hold(clause, place)):
        return False
    if (
        all(token.tag in {"NNP", "NNPS"} for token in everyone)
        and sentence.tokens[first.head].tag in {"NNP", "NNPS"}
        and first.head != place
    ):
        return False
    if _tail_may_belong_to_all(clause, first, members) or _may_be_verb(clause, first, members[-1]):
        return False
    if first.pos in {"ADJ", "ADV"} and place == clause.root:
        return len(clause.part(members[-1].i)) + len(clause.part(place)) > 14
    if first.dep.startswith("nsubj") and not exemplary:
        return _subject_allows(clause, place, len(everyone))
    return True


def _list_is_whole(clause: Clause, place: int, members: list[Token]) -> bool:
    """Whether the text goes on like a list beyond the members that the parser found."""
    tokens = clause.sentence.tokens
    last = max(max(clause.sentence.subtree(member.i)) for member in members)
    joined = any(clause.child(member.i, "cc") for member in members)
    finite = [
        p for p in range(place + 1, members[-1].i) if tokens[p].tag in {"VBZ", "VBP", "VBD", "MD"} and p in clause.keep
    ]
    if any(
        tokens[p].dep in {"cop", "aux", "aux:pass", "conj", "parataxis"} and tokens[tokens[p].head].dep not in _WITHIN
        for p in finite
    ):
        return False  # a second clause that the parser took for a member
    after = tokens[last + 1] if last + 1 < len(tokens) and last + 1 in clause.keep else None
    if after is not None and (after.tag == "CC" or (after.text == "," and not joined)):
        return False
    own = [p for p in clause.part(place) if p <= place and tokens[p].dep.split(":")[0] not in {"case", "punct"}]
    before = tokens[own[0] - 1] if own and own[0] - 1 in clause.keep else None
    if before is None or clause.child(place, "case") is not None or before.text not in {",", "and", "or"}:
        return True
    earlier = tokens[before.i - 1] if before.i else before
    return earlier.pos not in {"NOUN", "PROPN"} or place == clause.root or tokens[place].dep.startswith("nsubj")


_ALLOWED = frozenset("obj obl nmod xcomp ccomp root ROOT advcl acl iobj nsubj dep dislocated".split())


def _path_allows(clause: Clause, place: int, exemplary: bool) -> bool:
    tokens = clause.sentence.tokens
    current = place
    while current != clause.root:
        token = tokens[current]
        head = tokens[token.head]
        base = token.dep.split(":")[0]
        if base not in _ALLOWED or (token.dep == "acl:relcl" and current != place and not exemplary):
            return False
        if base == "advcl":
            marks = {mark.lower for mark in clause.children(current, "mark", "advmod")}
            if marks - {"to"} or current < clause.root:
                return False
        if base in {"nmod", "obl", "obj"} and (head.lemma in _COLLECTIVE or head.lemma in _COLLECTIVE_VERBS):
            return False
        if base == "nsubj" and current != place and not exemplary:
            return False
        if base == "nsubj" and head.lemma in _COLLECTIVE_VERBS:
            return False
        if token.head == current:
            return False
        # A list in a fronted adverbial conditions the statement: "In children and adults, ...".
        if base == "obl" and current < clause.root:
            return False
        current = token.head
    return True


def _alternatives_hold(clause: Clause, place: int) -> bool:
    """Whether `A or B` says something of A and of B: possibility, negation, avoidance."""
    tokens = clause.sentence.tokens
    current = place
    while True:
        token = tokens[current]
        if token.pos in {"VERB", "AUX"} or current == clause.root:
            auxiliaries = {aux.lower for aux in clause.children(current, "aux")}
            if auxiliaries & POSSIBILITY or clause.sentence.negated(current) or token.lemma in _ALTERNATIVES_ALLOWED:
                return True
        if current == clause.root or token.head == current:
            return False
        current = token.head


def _tail_may_belong_to_all(clause: Clause, first: Token, members: list[Token]) -> bool:
    """`swelling and redness of the skin`: of two bare nouns, what follows the last may modify both."""
    if len(members) != 1 or first.pos not in {"NOUN", "PROPN", "VERB"}:
        return False
    last = members[0]
    tail = [kid for kid in clause.children(last.i, "nmod", "acl", "obl", "obj") if kid.i > last.i]
    own = [
        kid
        for kid in clause.children(first.i, "nmod", "acl", "obl", "obj", "xcomp", "appos")
        if first.i < kid.i < last.i
    ]
    return bool(tail) and not own


def _may_be_verb(clause: Clause, first: Token, last: Token) -> bool:
    """`avoid smoking, and exercise regularly`: a bare word that is also a verb of advice, with more behind it.

    Read as a noun it would be avoided, too; the sentence stays whole, which is right either way.
    """
    tokens = clause.sentence.tokens
    if tokens[first.head].tag != "VB" or last.lower not in ADVICE_VERBS or last.i + 1 not in clause.keep:
        return False
    bare = all(kid.i > last.i or kid.dep in {"cc", "punct"} for kid in clause.children(last.i))
    return bare and tokens[last.i + 1].pos != "PUNCT" and last.tag == "NN"


def _subject_allows(clause: Clause, place: int, count: int) -> bool:
    head = clause.sentence.tokens[clause.sentence.tokens[place].head]
    if head.i != clause.root:
        return False
    if head.lemma in _MUTUAL and clause.child(head.i, "obl", "obj") is None:
        return False
    nominal = head.pos in {"NOUN", "PROPN"}
    if nominal:
        return (
            head.lemma in _LISTED
            and clause.child(head.i, "cop") is not None
            and clause.child(head.i, "nummod", "case") is None
        )
    return count > 2


def _agreeing(clause: Clause, subject: Token, first: Token | None = None) -> Clause:
    """The clause with its verb in the number of a subject that now stands alone."""
    place = (first or subject).i
    head = clause.sentence.tokens[clause.sentence.tokens[place].head]
    if not clause.sentence.tokens[place].dep.startswith("nsubj"):
        return clause
    singular = subject.tag in {"NN", "NNP", "VBG"}
    changes: dict[int, str] = {}
    finite = [kid for kid in clause.children(head.i, "aux", "cop") if kid.tag in {"VBP", "VBZ", "VBD"}]
    if finite:
        verb = finite[0]
        word = {"are": "is", "have": "has", "do": "does", "were": "was"}.get(verb.lower) if singular else None
        changes[verb.i] = word or verb.text
        if verb.dep == "cop" and head.pos in {"NOUN", "PROPN"} and head.tag == "NNS":
            changes[verb.i] = f"{changes[verb.i]} among"
    elif singular and head.tag == "VBP":
        changes[head.i] = third_person(head.lemma)
    return clause.reworded(changes)
