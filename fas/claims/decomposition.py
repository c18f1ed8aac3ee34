"""A clause taken apart: coordinated predicates, contrasted and reasoned clauses, relative clauses, lists.

What the parts share is given to each: subject, auxiliaries, a condition or population in front (`In adults with ...,`)
and a condition behind. Where it is not sure what they share, nothing is taken apart: the whole is always faithful.
"""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from fas.claims.clauses import Clause, inflect_third_person, is_finite, is_predicate, is_sound, subject_of
from fas.text.reading.command_words import ADVICE_VERBS
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
_NEVER_DENIED = frozenset("avoid limit call contact seek consult".split())
"""`Do not smoke and avoid alcohol` does not forbid avoiding it."""
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "VBG", "FW"})
_VERBS = frozenset({"VB", "VBP", "VBZ", "VBD", "VBN"})


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
    root, subject = clause.predicate, clause.subject
    if subject is None:
        return frozenset()
    tokens, front = clause.sentence.tokens, set()
    for kid in clause.children(root.i, "advcl", "obl"):
        places = clause.sentence.subtree(kid.i) & clause.keep
        if kid.i > subject or not places or max(places) > subject:
            continue
        marks = {mark.lower for mark in clause.children(kid.i, "mark", "advmod", "case")}
        if kid.lemma in _PEOPLE and kid.dep.startswith("obl") and not people:
            continue
        of_people = kid.lemma in _PEOPLE or marks & {"with", "without"}
        if (marks & _CONDITIONS) or (kid.dep.startswith("obl") and marks & _POPULATION and of_people):
            front |= places
            if max(places) + 1 < len(tokens) and tokens[max(places) + 1].text == ",":
                front.add(max(places) + 1)
    return frozenset(front)


def _split_predicates(clause: Clause) -> list[Clause]:
    """One clause for each coordinated predicate, with what they share."""
    sentence, root = clause.sentence, clause.root
    chain = _collect_chain(clause, root)
    members = [kid for kid in chain if is_predicate(sentence, kid.i)]
    if len(members) < len(chain) and sentence.tokens[root].pos == "VERB":
        return []  # "limit alcohol, and exercise regularly", the last verb read as a noun
    if not members or not is_predicate(sentence, root) or not _may_separate(clause, members):
        return []
    bare = [kid for kid in members if subject_of(sentence, kid.i) is None]
    behind = _find_condition_behind(clause, members[-1]) if len(bare) == len(members) else frozenset[int]()
    first = replace(clause, keep=(clause.keep - _gather_subtrees(clause, members)) | behind)
    parts = [replace(first, shared=first.shared | behind)]
    for member in members:
        own = (sentence.subtree(member.i) & clause.keep) - _gather_subtrees(clause, _collect_chain(clause, member.i))
        own -= {kid.i for kid in clause.children(member.i, "cc", "punct") if kid.i < member.i}
        subject = subject_of(sentence, member.i)
        lent = _find_fronted(clause, people=subject is None or subject.lemma not in _PEOPLE) | behind
        if subject is None:
            lent |= _find_lent(clause, member) if clause.subject is not None else frozenset()
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
    if joining & {"nor", "/", "and/or", "either", "neither", "both", "only", "than"} or any(
        tokens[place].lower == "only" and tokens[place - 1].lower == "not" for place in clause.keep if place
    ):
        return False
    possible = any(kid.lower in _POSSIBLE for kid in clause.helping())
    if "or" in joining and not possible:
        return False
    first_subject = clause.subject
    for before, member in zip([root, *members], members, strict=False):
        own = subject_of(sentence, member.i) is not None
        if own and not is_finite(sentence, member.i):
            return False
        denied = sentence.negated(before.i)
        helped = bool(sentence.children(member.i, "aux", "cop"))
        if (
            denied
            and not own
            and not helped
            and not {member.tag, member.lemma} & ({"VBZ", "VBP", "VBD"} | _NEVER_DENIED)
        ):
            return False  # "does not ease pain and improve sleep": is the second denied, too?
        infinitive = any(kid.i < member.i for kid in clause.children(root.i, "xcomp")) and member.lower == member.lemma
        if not own and infinitive and root.tag in {"VBP", "VBZ", "VBD"}:
            return False  # "the cells need to grow, avoid ...": what they need, or what they do?
        if not own and member.tag == "VBG" and not helped and root.tag != "VBG":
            return False
        start = min(sentence.subtree(member.i))
        between = tokens[before.i + 1 : max(start + 1, member.i)]
        if not any(token.tag == "CC" or token.text in {",", ";", ":", "–", "—"} for token in between):
            return False
    if first_subject is None:
        return False
    # "begins and ends in the throat", "prevent and treat infections": what stands behind the last belongs to both.
    last = members[-1]
    within = tokens[root.i + 1 : min(sentence.subtree(members[0].i))]
    bare = all(token.tag == "CC" or token.text == "," for token in within)
    shares = bare and root.pos == "VERB" and subject_of(sentence, last.i) is None
    return not (shares and clause.children(last.i, "obj", "obl", "xcomp", "ccomp"))


def _find_lent(clause: Clause, member: Token) -> frozenset[int]:
    """What the first predicate lends to a later one without a subject: its subject, and auxiliaries that it lacks."""
    sentence, root = clause.sentence, clause.predicate
    assert clause.subject is not None
    lent = (sentence.subtree(clause.subject) & clause.keep) | _find_fronted(clause)
    verbal, helped = member.pos in {"VERB", "AUX"}, bool(sentence.children(member.i, "aux", "cop"))
    if not helped and not (verbal and member.tag in {"VBZ", "VBD", "VBP"} and root.tag not in {"VB", "VBN"}):
        fits = (
            member.tag == root.tag
            or {member.tag, root.tag} <= {"VBN", "VBD"}
            or {member.tag, root.tag} <= {"VB", "VBP"}
        )
        if not verbal or fits:
            denied = {kid.i for kid in clause.children(root.i) if kid.lower in NEGATIONS and kid.i < root.i}
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


def _find_condition_behind(clause: Clause, last: Token) -> frozenset[int]:
    """A condition behind the last of several predicates, which holds for all of them."""
    found: set[int] = set()
    for kid in clause.children(last.i, "advcl"):
        if kid.i > last.i and {mark.lower for mark in clause.children(kid.i, "mark", "advmod")} & _CONDITIONS:
            found |= clause.sentence.subtree(kid.i)
    return frozenset(found)


def _split_clauses_beside(clause: Clause) -> list[Clause]:
    """Clauses that stand beside the main one: behind a semicolon or dash, and `although`, `while`, `whereas`, `because`."""
    sentence, tokens = clause.sentence, clause.sentence.tokens
    for kid in clause.children(clause.root, "parataxis", "advcl"):
        subject = subject_of(sentence, kid.i)
        if subject is None or not is_finite(sentence, kid.i) or (subject.lower in {"you", "it"} and kid.dep == "advcl"):
            continue
        places = sentence.subtree(kid.i) & clause.keep
        marks = [
            mark for mark in clause.children(kid.i, "mark", "advmod") if mark.lower in _CONTRASTS and mark.i < subject.i
        ]
        set_off = tokens[max(0, min(places) - 1)].text in {",", ";", ":", "–", "—", "-"} or min(places) == min(
            clause.keep
        )
        if not set_off or (kid.dep.startswith("advcl") and len(marks) != 1):
            continue
        if marks and marks[0].lower == "while" and tokens[kid.i].tag == "VBG":
            continue  # "while they are growing": at that time
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
        if (
            verb.dep != "acl:relcl"
            or noun.i not in clause.keep
            or noun.pos not in {"NOUN", "PROPN"}
            or not _is_asserted(clause, noun)
        ):
            continue
        places = sentence.subtree(verb.i) & clause.keep
        spoken = sorted(p for p in places if tokens[p].pos != "PUNCT")
        opener = tokens[spoken[0]]
        if opener.lower not in {"which", "who"} or opener.head != verb.i or not opener.dep.startswith("nsubj"):
            continue
        finite = [kid for kid in sentence.children(verb.i, "aux", "cop") if kid.tag in {"VBZ", "VBP"}] or [verb]
        plural = noun.tag in {"NNS", "NNPS"}
        if (
            tokens[opener.i - 1].text != ","
            or verb.lemma == "mean"
            or (finite[0].tag in {"VBZ", "VBP"} and (finite[0].tag == "VBP") != plural)
        ):
            continue
        nearer = any(
            t.pos in {"NOUN", "PROPN"} and (t.tag in {"NNS", "NNPS"}) == plural for t in tokens[noun.i + 1 : opener.i]
        )
        base = noun.dep.split(":")[0]
        if noun.i != clause.root and (
            base not in {"nsubj", "obj", "obl"} or (base == "obl" and clause.children(noun.head, "obj"))
        ):
            continue  # "plaque in the aorta, which ...": the aorta, or the plaque?
        exemplary = any(kid.lower in {"as", "like", "including"} for kid in sentence.children(noun.i, "case"))
        if (
            exemplary
            or nearer
            or (noun.dep == "conj" and plural)
            or any(kid.lower in NEGATIONS for kid in sentence.children(noun.i))
        ):
            continue  # which of the two?
        unsure = any(kid.lower in {"a", "an"} for kid in clause.children(noun.i, "det"))
        told = (
            noun.i == clause.root
            and clause.subject is not None
            and any(kid.dep == "cop" for kid in clause.helping())
            and (unsure or plural or tokens[clause.subject].lower in {"it", "this", "that"})
        )  # "Furosemide is a diuretic, which ..." tells of furosemide, "The cause is stress, which ..." of stress
        spoken_of = tokens[clause.subject] if told and clause.subject is not None else noun
        if not told and unsure:
            continue  # "contains a hormone, which ...": a claim about any hormone
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


def _cut_phrase(clause: Clause, noun: Token) -> set[int]:
    """The noun with what specifies it, without preposition, conjunction and what is coordinated with it."""
    places = clause.sentence.subtree(noun.i) & clause.keep
    for kid in clause.children(
        noun.i, "case", "cc", "conj", "mark", "acl:relcl", "appos", "cop", "nsubj", "aux", "advmod"
    ):
        places -= clause.sentence.subtree(kid.i)
    while places and clause.sentence.tokens[max(places)].text in {",", ";", "-", "–", "—"}:
        places -= {max(places)}
    return set(places)


def _is_asserted(clause: Clause, noun: Token) -> bool:
    """Whether the noun stands in the main statement: not in a condition, in reported speech, or under a denial."""
    current = noun
    while current.i != clause.root:
        if current.dep.split(":")[0] in {"advcl", "ccomp", "csubj", "acl"} or current.head == current.i:
            return current.head == current.i and current.dep.lower() == "root"
        current = clause.sentence.tokens[current.head]
        if current.i not in clause.keep:
            return current.i == clause.sentence.root or noun.i == clause.subject
    return not clause.sentence.negated(clause.root)


def _split_members(clause: Clause) -> list[Clause]:
    """One clause for each member of one list: the last that has no list in it or around it and may be taken apart.

    Of several lists one alone is: which word of one goes with which of the other is what parsers get wrong.
    """
    tokens = clause.sentence.tokens
    joined = {p for p in clause.keep if tokens[p].dep == "conj" and tokens[p].head in clause.keep}
    for place in sorted({tokens[p].head for p in joined} - joined, reverse=True):
        members = _collect_chain(clause, place)
        inside = clause.sentence.subtree(place) & joined
        around = any(place in clause.sentence.subtree(p) for p in joined)
        if inside != {member.i for member in members} or around or len(members) >= MOST_PARTS:
            continue
        if _may_distribute(clause, place, members):
            parts = _give_one_each(clause, place, members)
            if all(map(is_sound, parts)):
                return parts
    return []


def _may_distribute(clause: Clause, place: int, members: list[Token]) -> bool:
    """Whether each member alone is still what the sentence says."""
    sentence, tokens = clause.sentence, clause.sentence.tokens
    first = tokens[place]
    everyone = [first, *members]
    if (
        is_predicate(sentence, place)
        and any(is_predicate(sentence, member.i) for member in members)
        and place == clause.root
    ):
        return False
    for kind in (_NOUNS, _VERBS, frozenset({"JJ", "JJR", "JJS"})):
        if first.tag in kind and not all(member.tag in kind for member in members):
            return False
    if (
        first.tag not in _NOUNS | _VERBS | {"JJ"}
        or (first.tag == "JJ" and place != clause.root)
        or any(kid.lower in NEGATIONS for one in members for kid in clause.children(one.i))
    ):
        return False
    if any(subject_of(sentence, member.i) for member in members):
        return False
    inner = place != clause.root and subject_of(sentence, place) is not None
    if inner and "that" not in {mark.lower for mark in clause.children(place, "mark")}:
        return False  # "lights make people wake up and stay awake"
    joining = {kid.lower for one in everyone for kid in clause.children(one.i, "cc")}
    if len(joining) != 1 or not joining <= {"and", "or"}:
        return False
    span = range(min(sentence.subtree(place)), max(max(sentence.subtree(one.i)) for one in everyone) + 1)
    if any(tokens[p].text in {"/", "+"} for p in span) or any(
        tokens[p].lemma in _COLLECTIVE or tokens[p].lower in _COLLECTIVE for p in clause.keep if p < span.stop
    ):
        return False
    held = (
        frozenset().union(*(sentence.subtree(one.i) for one in everyone))
        if place != clause.root
        else _gather_subtrees(clause, members)
    )
    if any(tokens[p].text == "(" and p not in held for p in span if p > place):
        return False
    if any(
        tokens[min(p for p in _select_own(clause, one) if tokens[p].pos != "PUNCT") - 1].text not in {",", ";"}
        and not clause.children(one.i, "cc")
        for one in members
    ):
        return False  # no mark or word joins it to the others
    after = tokens[span.stop] if span.stop < len(tokens) and span.stop in clause.keep else None
    if after is not None and (after.tag == "CC" or (first.tag in _VERBS and after.pos != "PUNCT")):
        return False  # the text goes on beyond the members that the parser found: "fall asleep and stay asleep"
    cases = [{kid.lower for kid in clause.children(one.i, "case")} for one in everyone]
    if any(case and case != cases[0] for case in cases[1:]):
        return False
    last = members[-1]
    if any(kid.i > last.i for kid in clause.children(place, "nmod", "acl", "appos")) and place != clause.root:
        return False  # "the formation and activity of osteoclasts": what stands behind the last belongs to both
    if last.tag == "NN" and last.lower in ADVICE_VERBS and tokens[min(last.i + 1, len(tokens) - 1)].pos != "PUNCT":
        return False  # "avoid smoking, and exercise regularly": the last may be a verb
    if any(tokens[p].lower in {"its", "their"} for one in members for p in _select_own(clause, one)):
        return False
    exemplary = bool(cases[0] & {"such", "as", "like", "including"})
    if exemplary and any(tokens[p].lower == "as" for one in members for p in _select_own(clause, one) if p > one.i):
        return False  # "painkillers such as A, and decongestants such as B": B is no painkiller
    articles = [bool(clause.children(one.i, "det")) for one in everyone]
    if any(one.lower in {"others", "more"} for one in members) or (articles[0] and not all(articles)):
        return False  # "around the eyes, nose, and cheeks"
    if not _is_in_the_open(clause, place, exemplary=exemplary):
        return False
    if "or" in joining and not (exemplary or _alternatives_hold(clause, place)):
        return False
    if len(members) == 1 and first.tag in _NOUNS | _VERBS:
        # "swelling and redness of the skin": of two bare nouns, what follows the last may belong to both.
        tail = [
            kid for kid in clause.children(members[0].i, "nmod", "acl", "obl", "obj", "advcl") if kid.i > members[0].i
        ]
        own = [
            kid for kid in clause.children(place, "nmod", "acl", "obl", "obj", "advcl") if place < kid.i < members[0].i
        ]
        goes_on = after is not None and after.tag in {"IN", "TO", "WDT"}
        if (tail or goes_on) and not own:
            return False
        qualified = clause.children(members[0].i, "amod", "compound") and len(_select_own(clause, first)) == 1
        if qualified and "or" in joining:
            return False  # "stomach or intestinal bleeding"
        front = [kid for kid in clause.children(place, "amod", "compound", "nmod:poss", "det") if kid.i < place]
        if front and not clause.children(members[0].i, "amod", "compound", "det", "nmod:poss"):
            return False  # "high blood pressure and cholesterol": what stands before the first may belong to both
    if first.dep.startswith("nsubj"):
        mutual = {clause.predicate.lower, clause.predicate.lemma} & _COLLECTIVE
        return place == clause.subject and len(everyone) > 2 and clause.predicate.pos == "VERB" and not mutual
    return True


def _is_in_the_open(clause: Clause, place: int, *, exemplary: bool) -> bool:
    """Whether the list hangs on the main predicate by objects and the like: not in a condition, an aside or in front."""
    tokens, current = clause.sentence.tokens, place
    while current != clause.root:
        token = tokens[current]
        base = token.dep.split(":")[0]
        if (
            base not in {"obj", "obl", "nmod", "xcomp", "ccomp", "iobj", "nsubj", "advcl", "acl"}
            or token.head == current
        ):
            return False
        if token.dep == "acl:relcl":
            return False
        if base == "nsubj" and current != place and not exemplary:
            return False
        if base in {"obl", "advcl"} and (current < clause.root or base == "advcl"):
            return False
        current = token.head
    return True


def _alternatives_hold(clause: Clause, place: int) -> bool:
    """Whether `A or B` says something of A and of B: under possibility, denial, or a verb that lists or avoids."""
    tokens, current = clause.sentence.tokens, place
    while True:
        token = tokens[current]
        if token.pos in {"VERB", "AUX"} or current == clause.root:
            helping = clause.helping() if current == clause.root else clause.children(current, "aux")
            if any(kid.lower in _POSSIBLE for kid in helping) or token.lemma in {"include", "avoid"}:
                return True
            if clause.sentence.negated(current):
                return True
        if current == clause.root or token.head == current:
            return False
        current = token.head


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
    lent = {p for kid in clause.children(place, *relations) if kid.i < place for p in sentence.subtree(kid.i)}
    lent |= {p - 1 for p in lent if p and tokens[p].lower == "as" and tokens[p - 1].lower == "such"}
    everything = frozenset().union(*own.values())
    last = max(everything)
    between = {p for p in clause.keep if place < p < last and p not in everything}
    joins = {p for p in everything | between if tokens[p].dep == "cc" and tokens[p].head in own}
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
