"""A clause taken apart: coordinated predicates, contrasted and reasoned clauses, relative clauses, lists.

What the parts share is given to each: subject, auxiliaries, a condition or population in front (`In adults with ...,`)
and a condition behind. Where it is not sure what they share, nothing is taken apart: the whole is always faithful.
"""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from fas.claims.clauses import Clause, inflect_third_person, is_predicate, is_sound, subject_of
from fas.text.reading.trees import NEGATIONS, Token

MOST_PARTS = 24
"""A sentence is taken apart into at most so many claims; what is coordinated beyond stays whole."""
_CONDITIONS = frozenset("if unless when whenever until till before after once provided".split())
_CONTRASTS = frozenset("although though while whereas because".split())
_POPULATION = frozenset("in for among during with without".split())
_PEOPLE = frozenset(
    "patient people person child adult woman man infant baby newborn adolescent teenager individual those elderly pregnancy "
    "breastfeeding lactation".split()
)
_POSSIBLE = frozenset("may might can could".split())
_COLLECTIVE = frozenset(
    "between among combination mixture mix interaction relationship relation difference balance association link comparison ratio "
    "correlation connection combine compare differ distinguish vary range consist interact match relate correlate similar equal related correlated connected linked "
    "different same together respectively".split()
)
_REACHING = frozenset("nor neither either both".split())
_ONLY = frozenset("only just merely".split())
_OF_THE_WHOLE = frozenset("mean suggest indicate show lead result cause make help allow limit".split())
"""Verbs whose `which` may stand for the whole clause before it (`It swelled, which suggests ...`)."""
_NEVER_DENIED = frozenset("avoid limit call contact seek consult".split())
"""`Do not smoke and avoid alcohol` does not forbid avoiding it."""
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "VBG", "FW"})
_VERBS = frozenset({"VB", "VBP", "VBZ", "VBD", "VBN"})
_ADJECTIVES = frozenset({"JJ", "JJR", "JJS"})


def decompose(clause: Clause) -> list[Clause]:
    """The parts of *clause*, in order; itself alone where it has none."""
    parts = [clause]
    for step in (_split_predicates, _split_clauses_beside, _split_relatives, _split_members):
        parts = _take_apart(parts, step)
    return parts


def _take_apart(parts: list[Clause], step: Callable[[Clause], list[Clause]]) -> list[Clause]:
    done: list[Clause] = []
    waiting = list(parts)
    while waiting:
        part = waiting.pop(0)
        apart = step(part) if len(done) + len(waiting) < MOST_PARTS else []
        if len(apart) > 1 and all(map(is_sound, apart)):
            waiting = apart + waiting
        else:
            done.append(part)
    return done


def _gather_subtrees(clause: Clause, tokens: Iterable[Token]) -> frozenset[int]:
    places: set[int] = set()
    for token in tokens:
        places |= clause.sentence.subtree(token.i)
    return frozenset(places)


def _find_edges(clause: Clause, gone: frozenset[int]) -> frozenset[int]:
    """Commas and conjunctions left at the edges of what is taken out."""
    tokens, edges = clause.sentence.tokens, set()
    for place in (min(gone) - 1, max(gone) + 1):
        if 0 <= place < len(tokens) and tokens[place].text in {",", ";", "–", "—", "-", ":"}:
            edges.add(place)
    return frozenset(edges)


def _find_fronted(clause: Clause, *, people: bool = True) -> frozenset[int]:
    """A condition or population before the subject, with its comma: `In adults with asthma,`, `If it bleeds,`.

    Without *people*, populations are left out: what comes speaks of people of its own.
    """
    tokens, front = clause.sentence.tokens, set()
    for kid in clause.children(clause.root, "advcl", "obl"):
        places = clause.sentence.subtree(kid.i) & clause.keep
        marks = {mark.lower for mark in clause.children(kid.i, "mark", "advmod", "case")}
        of_people = kid.lemma in _PEOPLE and marks & _POPULATION
        if (
            clause.subject is not None
            and max(places) < clause.subject
            and (marks & _CONDITIONS or (people and of_people))
        ):
            front |= places | {place for place in (max(places) + 1,) if tokens[place].text == ","}
    return frozenset(front)


def _split_predicates(clause: Clause) -> list[Clause]:
    """One clause for each coordinated predicate, with what they share."""
    sentence, root = clause.sentence, clause.root
    chain = _collect_chain(clause, root)
    members = [kid for kid in chain if is_predicate(sentence, kid.i)]
    if len(members) < len(chain) and clause.predicate.pos == "VERB":
        return []  # "limit alcohol, and exercise regularly", the last verb read as a noun
    if not members or not _may_separate(clause, members):
        return []
    parts = [replace(clause, keep=clause.keep - _gather_subtrees(clause, members))]
    for member in members:
        own = (sentence.subtree(member.i) & clause.keep) - _gather_subtrees(clause, _collect_chain(clause, member.i))
        own -= {kid.i for kid in clause.children(member.i, "cc", "punct") if kid.i < member.i}
        subject = subject_of(sentence, member.i)
        lent = _find_fronted(clause, people=subject is None or subject.lemma not in _PEOPLE)
        if subject is None:
            lent |= _find_lent(clause, member)
        place = clause.subject if subject is None else subject.i
        shared = clause.shared | lent
        part = replace(clause, keep=frozenset(own) | (lent & clause.keep), root=member.i, subject=place, shared=shared)
        parts.append(part if subject is not None else part.reworded(_forbid_again(clause, member)))
    return parts


def _collect_chain(clause: Clause, place: int) -> list[Token]:
    """All members that are coordinated with the word at *place*, also where the parser hung one on the other."""
    found: list[Token] = []
    for kid in clause.children(place, "conj"):
        found += [kid, *_collect_chain(clause, kid.i)]
    return sorted(found, key=lambda kid: kid.i)


def _may_separate(clause: Clause, members: list[Token]) -> bool:
    """Whether each predicate is stated by itself, and it is sure what belongs to which."""
    sentence, tokens, root = clause.sentence, clause.sentence.tokens, clause.predicate
    joining = {kid.lower for one in [root, *members] for kid in clause.children(one.i, "cc")}
    possible = any(kid.lower in _POSSIBLE for kid in clause.helping())
    if clause.subject is None or ("or" in joining and not possible) or _reaches_over(clause, [root, *members]):
        return False
    for before, member in zip([root, *members], members, strict=False):
        helped = bool(sentence.children(member.i, "aux", "cop"))
        finite = {member.tag, member.lemma} & ({"VBZ", "VBP", "VBD"} | _NEVER_DENIED)
        if sentence.negated(before.i) and not helped and not finite:
            return False  # "does not ease pain and improve sleep": is the second denied, too?
        between = tokens[before.i + 1 : max(min(sentence.subtree(member.i)) + 1, member.i)]
        if not any(token.tag == "CC" or token.text in {",", ";", ":", "–", "—"} for token in between):
            return False
    # "begins and ends in the throat", "prevent and treat infections": what stands behind the last belongs to both.
    last = members[-1]
    within = tokens[root.i + 1 : min(sentence.subtree(members[0].i))]
    shares = root.pos == "VERB" and subject_of(sentence, last.i) is None and all(token.text == "," for token in within)
    return not (shares and clause.children(last.i, "obj", "obl", "xcomp", "ccomp"))


def _reaches_over(clause: Clause, members: list[Token]) -> bool:
    """Whether a word beside one of the members is said of the others with it: `not only ... but also`, `either ... or`."""
    tokens = clause.sentence.tokens
    kids = (kid for one in members for kid in clause.children(one.i, "cc", "advmod", "det"))
    return any(kid.lower in _REACHING or (kid.lower in _ONLY and tokens[kid.i - 1].lower in NEGATIONS) for kid in kids)


def _find_lent(clause: Clause, member: Token) -> frozenset[int]:
    """What the first predicate lends to a later one without a subject: its subject, and auxiliaries that it lacks."""
    sentence, root = clause.sentence, clause.predicate
    assert clause.subject is not None
    lent = sentence.subtree(clause.subject) & clause.keep
    tags = {member.tag, root.tag}
    alike = len(tags) == 1 or tags <= {"VBN", "VBD"} or tags <= {"VB", "VBP"}
    if alike and not sentence.children(member.i, "aux", "cop"):
        denied = {kid.i for kid in clause.children(root.i) if kid.lower in NEGATIONS}
        lent |= {kid.i for kid in clause.helping()} | (denied if member.lemma not in _NEVER_DENIED else set())
    return frozenset(lent)


def _forbid_again(clause: Clause, member: Token) -> dict[int, str]:
    """Wording for the auxiliary of `don't drink` behind a command that was given its subject."""
    assert clause.subject is not None
    subject = clause.sentence.tokens[clause.subject]
    do = next((kid for kid in clause.children(member.i, "aux") if kid.lower == "do"), None)
    if do is None or clause.sentence.unit.span(subject.start, subject.end) is not None:
        return {}
    return {do.i: "should"} | {kid.i: "not" for kid in clause.children(member.i) if kid.lower in {"n't", "n’t"}}


def _split_clauses_beside(clause: Clause) -> list[Clause]:
    """Clauses that stand beside the main one: behind a semicolon or dash, and `although`, `while`, `whereas`, `because`."""
    sentence, tokens = clause.sentence, clause.sentence.tokens
    for kid in clause.children(clause.root, "parataxis", "advcl"):
        subject = subject_of(sentence, kid.i)
        if subject is None:
            continue
        places = sentence.subtree(kid.i) & clause.keep
        marks = [mark for mark in clause.children(kid.i, "mark", "advmod") if mark.lower in _CONTRASTS]
        first = min(places)
        set_off = first == min(clause.keep) or tokens[first - 1].text in {",", ";", ":", "–", "—", "-"}
        if not set_off or (kid.dep.startswith("advcl") and len(marks) != 1):
            continue
        edge = _find_edges(clause, frozenset(places))
        beside = replace(
            clause,
            keep=frozenset(places) - {mark.i for mark in marks},
            root=kid.i,
            subject=subject.i,
            shared=frozenset(),
        )
        parts = [replace(clause, keep=clause.keep - places - edge), beside]
        return sorted(parts, key=lambda part: min(part.keep))
    return []


def _split_relatives(clause: Clause) -> list[Clause]:
    """The clause without a relative clause that a comma sets off, and what that says of its noun."""
    sentence, tokens = clause.sentence, clause.sentence.tokens
    for place in sorted(clause.keep):
        verb = tokens[place]
        noun = tokens[verb.head]
        if verb.dep != "acl:relcl" or noun.i not in clause.keep or noun.pos not in {"NOUN", "PROPN"}:
            continue
        if not _is_asserted(clause, noun):
            continue
        places = sentence.subtree(verb.i) & clause.keep
        opener = next(tokens[p] for p in sorted(places) if tokens[p].pos != "PUNCT")
        if opener.lower not in {"which", "who"} or opener.head != verb.i or not opener.dep.startswith("nsubj"):
            continue
        plural = noun.tag in {"NNS", "NNPS"}
        finite = [*(kid for kid in sentence.children(verb.i, "aux", "cop") if kid.tag in {"VBZ", "VBP"}), verb][0]
        agrees = finite.tag not in {"VBZ", "VBP"} or (finite.tag == "VBP") == plural
        nearer = any(
            t.pos in {"NOUN", "PROPN"} and (t.tag in {"NNS", "NNPS"}) == plural for t in tokens[noun.i + 1 : opener.i]
        )
        beside = noun.dep.startswith("obl") and clause.children(noun.head, "obj")
        helped = any(kid.lower in _POSSIBLE for kid in sentence.children(verb.i, "aux"))
        of_all = noun.i != clause.subject and (helped or verb.lemma in _OF_THE_WHOLE)
        if tokens[opener.i - 1].text != "," or not agrees or nearer or beside or of_all:
            continue  # "raises serotonin in the brain, which ...": which of the two, or all of it?
        # "Furosemide is a diuretic, which ..." tells of furosemide.
        loose = plural or any(kid.lower in {"a", "an"} for kid in sentence.children(noun.i, "det"))
        told = loose and noun.i == clause.root and any(kid.dep == "cop" for kid in clause.helping())
        spoken_of = tokens[clause.subject] if told and clause.subject is not None else noun
        named = _cut_phrase(clause, spoken_of) - places
        commas = _find_edges(clause, frozenset(places)) | {opener.i - 1}
        said = replace(
            clause,
            keep=frozenset(named | (places - {opener.i, opener.i - 1})),
            root=verb.i,
            subject=spoken_of.i,
            shared=frozenset(named),
        )
        return [replace(clause, keep=clause.keep - places - commas), said]
    return []


def _is_asserted(clause: Clause, noun: Token) -> bool:
    """Whether there is such a thing as the noun names: it is not denied, and in no clause that asks or denies whether."""
    sentence, current = clause.sentence, noun
    if any(kid.lower in NEGATIONS for kid in clause.children(noun.i)):
        return False
    while current.i != clause.root and current.head != current.i:
        marks = {kid.lower for kid in sentence.children(current.i, "mark")}
        current = sentence.tokens[current.head]
        if marks & {"whether", "if"}:
            return False
    return True


def _cut_phrase(clause: Clause, noun: Token) -> set[int]:
    """The noun with what specifies it, without preposition, conjunction and what is coordinated with it."""
    places = clause.sentence.subtree(noun.i) & clause.keep
    for kid in clause.children(
        noun.i, "case", "cc", "conj", "mark", "acl:relcl", "appos", "cop", "nsubj", "aux", "advmod"
    ):
        places -= clause.sentence.subtree(kid.i)
    while clause.sentence.tokens[max(places)].text in {",", ";", "-", "–", "—"}:
        places -= {max(places)}
    return set(places)


def _split_members(clause: Clause) -> list[Clause]:
    """One clause for each member of one list: the last that has no list in it or around it and may be taken apart.

    Of several lists one alone is: which word of one goes with which of the other is what parsers get wrong.
    """
    tokens = clause.sentence.tokens
    joined = {p for p in clause.keep if tokens[p].dep == "conj" and tokens[p].head in clause.keep}
    for place in sorted({tokens[p].head for p in joined} - joined, reverse=True):
        members = _collect_chain(clause, place)
        inside = clause.sentence.subtree(place) & joined
        if inside != {member.i for member in members} or len(members) >= MOST_PARTS:
            continue
        if _may_distribute(clause, place, members):
            parts = _give_one_each(clause, place, members)
            if all(map(is_sound, parts)):
                return parts
    return []


def _may_distribute(clause: Clause, place: int, members: list[Token]) -> bool:
    """Whether each member alone is still what the sentence says."""
    sentence, tokens = clause.sentence, clause.sentence.tokens
    first, last = tokens[place], members[-1]
    everyone = [first, *members]
    at_root = place == clause.root
    if any(subject_of(sentence, one.i) or (at_root and is_predicate(sentence, one.i)) for one in members):
        return False
    if first.tag == "JJ":
        kind = _ADJECTIVES if at_root else frozenset[str]()
    else:
        kind = next((kind for kind in (_NOUNS, _VERBS) if first.tag in kind), frozenset[str]())
    if not all(member.tag in kind for member in members):
        return False
    joining = {kid.lower for one in everyone for kid in clause.children(one.i, "cc")}
    if _reaches_over(clause, everyone) or any(
        kid.lower in NEGATIONS for one in members for kid in clause.children(one.i)
    ):
        return False  # "fruit and not juice"
    stop = max(max(sentence.subtree(one.i)) for one in everyone) + 1
    if joining not in ({"and"}, {"or"}) or any(
        tokens[p].lemma in _COLLECTIVE for p in clause.keep if p < stop or p == clause.root
    ):
        return False
    for one in members:
        start = min(p for p in _select_own(clause, one) if tokens[p].pos != "PUNCT")
        if tokens[start - 1].text not in {",", ";"} and not clause.children(one.i, "cc"):
            return False  # no mark or word joins it to the others
    if any(kid.i > last.i for kid in clause.children(place, "nmod", "acl", "appos")):
        return False  # "the formation and activity of osteoclasts": what stands behind the last belongs to both
    cases = [{kid.lower for kid in clause.children(one.i, "case")} for one in everyone]
    if any(case and case != cases[0] for case in cases[1:]):
        return False  # "people with obesity and without diabetes"
    exemplary = bool(cases[0] & {"such", "as", "like", "including"})
    articles = [bool(clause.children(one.i, "det")) for one in everyone]
    if articles[0] and not all(articles):
        return False  # "around the eyes, nose, and cheeks"
    if not _is_in_the_open(clause, place, exemplary=exemplary):
        return False
    if "or" in joining and not (exemplary or _alternatives_hold(clause, place)):
        return False
    if len(members) == 1:
        # "swelling and redness of the skin": of two bare nouns, what follows the last may belong to both.
        own, tail = (clause.children(one.i, "nmod", "acl", "obl", "obj", "advcl") for one in (first, last))
        goes_on = stop in clause.keep and tokens[stop].tag in {"IN", "TO", "WDT"}
        if (goes_on or any(kid.i > last.i for kid in tail)) and not any(place < kid.i < last.i for kid in own):
            return False
    if not first.dep.startswith("nsubj"):
        return True
    return place == clause.subject and len(everyone) > 2 and clause.predicate.pos == "VERB"


def _is_in_the_open(clause: Clause, place: int, *, exemplary: bool) -> bool:
    """Whether the list hangs on the main predicate by objects and the like: not in a condition, an aside or in front."""
    current = place
    while current != clause.root:
        token = clause.sentence.tokens[current]
        base = token.dep.split(":")[0]
        if token.dep == "acl:relcl" or base not in {"obj", "obl", "nmod", "xcomp", "ccomp", "nsubj", "acl"}:
            return False
        if base == "nsubj" and current != place and not exemplary:
            return False
        if base == "obl" and current < clause.root:
            return False
        current = token.head
    return True


def _alternatives_hold(clause: Clause, place: int) -> bool:
    """Whether `A or B` says something of A and of B: under possibility, denial, or a verb that lists or avoids."""
    while True:
        token = clause.sentence.tokens[place]
        helping = clause.helping() if place == clause.root else clause.children(place, "aux")
        possible = any(kid.lower in _POSSIBLE for kid in helping) or token.lemma in {"include", "avoid"}
        if possible or clause.sentence.negated(place):
            return True
        if place == clause.root:
            return False
        place = token.head


def _give_one_each(clause: Clause, place: int, members: list[Token]) -> list[Clause]:
    sentence, tokens = clause.sentence, clause.sentence.tokens
    everyone = [tokens[place], *members]
    own = {one.i: _select_own(clause, one) for one in everyone}
    if place == clause.root:  # a predicate keeps its subject and all that does not hang on one member
        own[place] = (
            frozenset({place})
            | _gather_subtrees(clause, clause.children(place, "amod", "compound", "det", "nmod", "case", "nummod"))
            & clause.keep
        )
    # "recommends that he rest and drink": the subject and auxiliaries of the first are those of all.
    relations = ("case", "mark") if place == clause.root else ("case", "mark", "nsubj", "aux")
    lent = {p for kid in clause.children(place, *relations) for p in sentence.subtree(kid.i)}
    lent |= {p - 1 for p in lent if p and tokens[p].lower == "as" and tokens[p - 1].lower == "such"}
    everything = frozenset().union(*own.values())
    last = max(everything)
    joins = {p for p in clause.keep if tokens[p].dep == "cc" and tokens[p].head in own}
    parts = []
    for one in everyone:
        commas = {p for p in range(min(everything), last + 1) if tokens[p].text == "," and tokens[p].head in own}
        kept = (clause.keep - everything - joins - commas) | (own[one.i] - joins - commas)
        if one.i != place and not clause.children(one.i, "case", "mark"):
            kept |= lent
        part = replace(clause, keep=kept, shared=clause.shared | frozenset(lent))
        if place == clause.root and one.i != place:
            mine = frozenset(kid.i for kid in clause.children(place) if kid.i not in own)
            part = replace(part, root=one.i, shared=part.shared | mine)
        if place == clause.subject:
            part = replace(part, subject=one.i)
            part = part.reworded(_agree_verb(part, one))
        parts.append(part)
    return parts


def _select_own(clause: Clause, member: Token) -> frozenset[int]:
    """A member of a list with what hangs on it, without the members that follow."""
    return frozenset(clause.sentence.subtree(member.i) & clause.keep) - _gather_subtrees(
        clause, _collect_chain(clause, member.i)
    )


def _agree_verb(clause: Clause, subject: Token) -> dict[int, str]:
    """The verb in the number of a subject that now stands alone."""
    if subject.tag in {"NNS", "NNPS"}:
        return {}
    words = [*clause.helping(), clause.predicate]
    verb = next((token for token in words if token.tag == "VBP" or token.lower == "were"), None)
    if verb is None:
        return {}
    return {verb.i: "was" if verb.lower == "were" else inflect_third_person(verb.lemma)}
