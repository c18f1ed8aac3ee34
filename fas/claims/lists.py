"""A list of nouns, or of anything below the predicate, taken apart where each member alone is still what the sentence says."""

# ruff: noqa: E501 - word lists are easier to check on one line

from __future__ import annotations

import itertools
from dataclasses import replace

from fas.claims.clause import Clause
from fas.claims.coordination import MOST_CLAIMS, POSSIBILITY, is_predicate, not_only
from fas.claims.morphology import third_person
from fas.claims.seams import broken, measured_apart
from fas.claims.together import is_exemplary, is_one_thing, is_open_ended, shared_owner, shared_tail
from fas.reading.trees import Token

MOST_LISTED = 6
"""Several lists in one clause are multiplied to at most so many."""

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
    "relate related correlate link linked connect associate equal similar different distinct separate opposite identical same".split()
)
_TOGETHER = frozenset("together respectively alternately simultaneously jointly each combined".split())
_ALTERNATIVES_ALLOWED = frozenset("include including such like avoid".split())
_MEANS = frozenset("through by via in during for at on".split())
_BOTH = frozenset({"both", "all"})
_ORDINALS = frozenset("first second third fourth fifth last next".split())
_OF_SEVERAL = frozenset("several many some various certain different other common".split())
_PARTS = frozenset("det amod nummod compound nmod case acl appos advmod flat fixed obl punct mark obj xcomp".split())
_WITHIN = frozenset({"acl:relcl", "acl", "advcl", "ccomp"})
_KINDS = dict.fromkeys(("NN", "NNS", "NNP", "NNPS", "VBG", "FW", "GW", "AFX"), "nominal") | dict.fromkeys(
    ("VB", "VBP", "VBZ", "VBD", "VBN"), "verb"
)


def distribute(clause: Clause) -> list[Clause]:
    """One clause per member of each list that may be taken apart, the outermost list first.

    What several lists multiply to is at most `MOST_LISTED` clauses; lists beyond stay whole.
    """
    done = [clause]
    while True:
        parts = [part for one in done for part in _one_list(one)]
        if len(parts) == len(done) or (len(done) > 1 and len(parts) > MOST_LISTED):
            return done
        done = parts


def _one_list(clause: Clause) -> list[Clause]:
    """One clause per member of one list of *clause*, the outermost that may be taken apart."""
    tokens = clause.sentence.tokens
    joined = {place for place in clause.keep if tokens[place].dep == "conj" and tokens[place].head in clause.keep}
    heads = {tokens[place].head for place in joined} - joined
    for head in sorted(heads, key=lambda place: (_depth(clause, place), -place)):
        members = {member.i for member in _members(clause, head)}
        if head == clause.root and any(is_predicate(clause, place) for place in members):
            continue  # coordinated predicates, which `split_predicates` has left together
        if members and len(members) < MOST_CLAIMS:
            parts = _distributed(clause, head)
            if len(parts) > 1:
                return parts
    return [clause]


def _depth(clause: Clause, place: int) -> int:
    """How many words stand between a word and the predicate."""
    tokens, steps = clause.sentence.tokens, 0
    while place != clause.root and tokens[place].head != place:
        place, steps = tokens[place].head, steps + 1
    return steps


def _distributed(clause: Clause, place: int) -> list[Clause]:
    sentence = clause.sentence
    members = _members(clause, place)
    if not members or not _may_distribute(clause, place, members):
        return [clause]
    first = sentence.tokens[place]
    last_edge = max(max(sentence.subtree(member.i)) for member in members)
    preconjunction = {kid.i for kid in clause.children(place, "cc", "det") if kid.i < place and kid.lower != "the"}
    preconjunction &= {p for p in clause.keep if sentence.tokens[p].lower in {"both", "either", "neither"}}
    if first.dep.startswith("nsubj"):  # "A and B are both steroids"
        after = [p for p in clause.keep if p > last_edge and sentence.tokens[p].lower in _BOTH]
        preconjunction |= {p for p in after if sentence.tokens[p - 1].pos == "AUX"}
    own = {place} | preconjunction
    for kid in clause.children(place):
        base = kid.dep.split(":")[0]
        if (
            base in _PARTS
            and kid.i < last_edge
            and (place != clause.root or base not in {"advmod", "obl", "mark", "punct"} or kid.i > place)
        ):
            own |= sentence.subtree(kid.i)
    labels = [p for p in own if sentence.tokens[p].text == ":" and p < place]
    own = {p for p in own if p > max(labels, default=-1)}  # "Mindset: a person's mental state and ..."
    lent = {p for kid in clause.children(place, "case", "mark") if kid.i < place for p in sentence.subtree(kid.i)}
    opening = min(p for p in own if p not in preconjunction)
    if sentence.tokens[opening].tag in {"IN", "TO"}:
        lent.add(opening)  # a preposition that the parser hung on a word before the noun
    lent |= {p - 1 for p in lent if sentence.tokens[p].lower == "as" and p and sentence.tokens[p - 1].lower == "such"}
    end = last_edge + (2 if first.dep.startswith("nsubj") else 1)
    between = {token.i for token in sentence.tokens[place:end] if token.text == ","}
    of_members = [_own_part(clause, member) for member in members]
    tail = shared_tail(clause, first, members)
    of_members[-1] = (of_members[-1] - tail) | _remark_behind(clause, last_edge)
    everything = set().union(*of_members)
    real = [n for n, member in enumerate(members) if not is_open_ended(clause, member)]
    if not real:
        return [clause]
    parts = [_agreeing(_closed_up(clause.without(everything | preconjunction), place, between), first)]
    owner = shared_owner(clause, first)
    for n in real:
        member = members[n]
        gone = own | (everything - of_members[n])
        gone |= {kid.i for kid in clause.children(member.i, "punct") if kid.i < member.i}
        gone |= {p for other in members for kid in clause.children(other.i, "cc") for p in clause.part(kid.i)}
        if clause.child(member.i, "case", "mark") is None:
            gone -= lent
        if not any(kid.i < member.i and kid.dep not in {"cc", "punct"} for kid in clause.children(member.i)):
            gone -= owner
        gone |= _opening_marks(clause, of_members[n])
        part = clause.without(gone)
        if place == clause.root:
            lent_too = frozenset(kid.i for kid in clause.children(place) if kid not in members)
            part = replace(part.only(part.keep, member.i), adopted=lent_too)
        if clause.subject is first:
            part = replace(part, subject_at=member.i)
        parts.append(_agreeing(_closed_up(part, member.i, between), member, first))
    return [clause] if any(broken(part) for part in parts) else parts


def _remark_behind(clause: Clause, edge: int) -> set[int]:
    """A remark in brackets right behind the last member, which is of this one wherever the parser hung it."""
    tokens = clause.sentence.tokens
    if edge + 1 < len(tokens) and tokens[edge + 1].text == ")":
        return {edge + 1}
    if edge + 1 >= len(tokens) or tokens[edge + 1].text != "(":
        return set()
    closing = next((token.i for token in tokens[edge + 2 :] if token.text == ")"), None)
    return set() if closing is None else set(range(edge + 1, closing + 1)) & clause.keep


def _opening_marks(clause: Clause, places: set[int]) -> set[int]:
    """Commas that a member begins with, where the parser hung them deeper in it."""
    begun = list(
        itertools.takewhile(lambda place: clause.sentence.tokens[place].pos == "PUNCT", sorted(places & clause.keep))
    )
    return {place for place in begun if clause.sentence.tokens[place].text == ","}


def _closed_up(part: Clause, place: int, commas: set[int]) -> Clause:
    """*part* without a comma of the list that was left behind the member at *place*."""
    last = max((p for p in part.part(place) if part.sentence.tokens[p].text != ","), default=place)
    after = next((p for p in sorted(part.keep) if p > last), None)
    return part.without({after}) if after in commas and after is not None else part


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
    if cases[0] and first.dep.startswith("nsubj"):
        return False  # "in lupus, brain and kidney are affected"
    above = sentence.tokens[first.head].lemma
    if cases[0] & {"to", "of"} and any(token.lemma == above for token in members):
        return False  # "time to relief and time to recovery": joined to the wrong word
    if first.lemma in _COLLECTIVE or _is_one_name(clause, everyone):
        return False
    if place == clause.root and len(members) == 1 and (members[0].tag == "NNS") != (first.tag == "NNS"):
        return False  # "is an antibody that inhibits A and the pathways of B": joined to the wrong word
    if any(case and cases[0] and case != cases[0] for case in cases[1:]):
        return False  # "in babies under 3 months or in chickenpox": joined to something else
    if not _list_is_whole(clause, place, members) or is_one_thing(clause, place, members):
        return False
    if measured_apart(clause.text()):
        return False
    if not_only(clause) or any(
        sentence.tokens[p].lower in _TOGETHER and sentence.tokens[p].dep != "det" for p in clause.keep
    ):
        return False
    conjunctions = {cc.lower for member in members for cc in clause.children(member.i, "cc")}
    before = {kid.lower for kid in clause.children(place, "case", "cc")}
    if {"and", "or"} <= conjunctions:
        return False  # "cough with phlegm or pus, fever, and chills": two lists in one
    if {"/", "and/or", "vs", "vs.", "versus", "plus", "than", "nor"} & conjunctions or {
        "between",
        "neither",
    } & before:
        return False
    if any(sentence.tokens[p].text == "/" for p in range(place, members[-1].i)):
        return False
    exemplary = is_exemplary(clause, place)
    if not exemplary and _has_examples(clause, [first, members[-1]]):
        return False
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
    if _tail_may_belong_to_all(clause, first, members):
        return False
    if first.pos in {"ADJ", "ADV"} and place == clause.root:
        return first.pos == "ADJ" and not [kid for kid in clause.children(members[-1].i) if kid.i > members[-1].i]
    if first.dep == "amod":
        graded = clause.child(place, "advmod") is not None or any(token.lower in _ORDINALS for token in everyone)
        several = all(token.tag == "JJ" for token in everyone) and sentence.tokens[first.head].tag == "NNS"
        return several and not graded
    if first.dep.startswith("nsubj") and not exemplary:
        return _subject_allows(clause, place)
    return True


def _is_one_name(clause: Clause, everyone: list[Token]) -> bool:
    """Whether the list is part of a name (`the U.S. Food and Drug Administration`, `Institute of Allergy and ...`)."""
    tokens, first = clause.sentence.tokens, everyone[0]
    if any(token.tag not in {"NNP", "NNPS"} for token in everyone):
        return False
    start = min(clause.part(first.i))
    within = start > 1 and tokens[start].lower in {"of", "for"} and tokens[start - 1].tag == "NNP"
    the = [clause.child(token.i, "det") is not None for token in everyone]
    return within or (the[0] and not any(the[1:]))


def _has_examples(clause: Clause, ends: list[Token]) -> bool:
    """Whether examples follow behind a comma that may be of all members (`films and shows, including X`)."""
    tokens = clause.sentence.tokens
    behind = [kid for end in ends for kid in clause.children(end.i, "nmod", "obl") if kid.i > ends[-1].i]
    cases = [case for kid in behind for case in clause.children(kid.i, "case")]
    return any(case.lower in {"including", "such", "like"} and tokens[case.i - 1].text == "," for case in cases)


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
        if token.head == current:
            return False
        # Of "the lining [and fluids] of the throat": what one member hangs on may be another, taken out.
        lent = token.dep == "conj" and not {current, token.head} <= clause.keep
        if lent or (base == "amod" and (current == place or exemplary)):
            current = token.head
            continue
        if base not in _ALLOWED or (token.dep == "acl:relcl" and current != place and not exemplary):
            return False
        if base == "advcl":
            marks = {mark.lower for mark in clause.children(current, "mark", "advmod")}
            if marks - {"to", "by"} or current < clause.root:
                return False
        if base in {"nmod", "obl", "obj"} and (head.lemma in _COLLECTIVE or head.lemma in _COLLECTIVE_VERBS):
            means = {kid.lower for kid in clause.children(current, "case")} & _MEANS
            if not (means and base == "obl"):
                return False
        if base == "nsubj" and current != place and not (exemplary or _is_existential(clause, token)):
            return False
        if base == "nsubj" and head.lemma in _COLLECTIVE_VERBS:
            return False
        # A list in a fronted adverbial conditions the statement: "In children and adults, ...".
        if base == "obl" and current < clause.root:
            return False
        current = token.head
    return True


def _is_existential(clause: Clause, subject: Token) -> bool:
    """Whether the subject is what `there is`, so that what specifies it is stated, too."""
    return any(kid.lower == "there" for kid in clause.children(subject.head)) and subject.i > subject.head


def _alternatives_hold(clause: Clause, place: int) -> bool:
    """Whether `A or B` says something of A and of B: possibility, negation, avoidance."""
    tokens = clause.sentence.tokens
    current = place
    while True:
        token = tokens[current]
        if any(kid.lower in {"no", "insufficient", "little"} for kid in clause.children(current, "det", "amod")):
            return True  # "no evidence that it prevents A or B"
        if token.pos in {"VERB", "AUX"} or current == clause.root:
            auxiliaries = {aux.lower for aux in clause.children(current, "aux")}
            if auxiliaries & POSSIBILITY or clause.sentence.negated(current) or token.lemma in _ALTERNATIVES_ALLOWED:
                return True
        if current == clause.root or token.head == current:
            return False
        current = token.head


def _tail_may_belong_to_all(clause: Clause, first: Token, members: list[Token]) -> bool:
    """`swelling and redness of the skin`: of two bare nouns, what follows the last may modify both."""
    if len(members) != 1 or first.pos not in {"NOUN", "PROPN", "VERB"} or shared_tail(clause, first, members):
        return False
    last = members[0]
    tail = [kid for kid in clause.children(last.i, "nmod", "acl", "obl", "obj") if kid.i > last.i]
    own = [
        kid
        for kid in clause.children(first.i, "nmod", "acl", "obl", "obj", "xcomp", "appos")
        if first.i < kid.i < last.i
    ]
    return bool(tail) and not own


def _subject_allows(clause: Clause, place: int) -> bool:
    head = clause.sentence.tokens[clause.sentence.tokens[place].head]
    if head.i != clause.root:
        return False
    if head.lemma in _MUTUAL and clause.child(head.i, "obl", "obj") is None:
        return False
    objects = clause.children(head.i, "obj", "obl")
    if any(kid.lemma in _COLLECTIVE for kid in objects):
        return False  # "A and B have a synergistic interaction"
    if any(kid.lemma in _MUTUAL for noun in [head, *objects] for kid in clause.children(noun.i, "amod")):
        return False  # "A and B have different uses"
    if head.pos in {"NOUN", "PROPN"}:
        counted = clause.child(head.i, "nummod", "case") is not None or head.lemma in _COLLECTIVE
        return clause.child(head.i, "cop") is not None and not counted
    return True


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
        if verb.dep == "cop" and head.tag == "NNS" and singular:
            return _one_of_them(clause.reworded(changes), head)
    elif singular and head.tag == "VBP":
        changes[head.i] = third_person(head.lemma)
    return clause.reworded(changes)


def _one_of_them(clause: Clause, head: Token) -> Clause:
    """`A are bacterial infections` as `A is a bacterial infection`, for one member of a subject."""
    left = [kid for kid in clause.children(head.i, "amod", "compound", "det", "advmod") if kid.i < head.i]
    if any(kid.dep == "det" or kid.lemma in _OF_SEVERAL for kid in left):
        cop = clause.child(head.i, "cop")
        return clause if cop is None else clause.reworded({cop.i: f"{clause.replaced.get(cop.i, cop.text)} among"})
    places = [p for kid in left if kid.dep != "advmod" for p in clause.part(kid.i)]
    start = min([head.i, *places])
    relative = [kid for kid in clause.children(head.i, "acl") if kid.dep == "acl:relcl"]
    verbs = [verb for kid in relative for verb in [*clause.children(kid.i, "aux", "cop"), kid] if verb.tag == "VBP"]
    clause = clause.reworded({verb.i: third_person(verb.lemma) for verb in verbs[:1]})
    word = clause.sentence.tokens[start].text if start != head.i else head.lemma
    name = head.lemma.capitalize() if head.text[:1].isupper() else head.lemma
    return clause.reworded({head.i: name}, {start: "an" if word[:1].lower() in "aeio" else "a"})
