"""Imperatives, and what they say as statements: `Avoid alcohol` -> `Alcohol should be avoided`."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

from collections.abc import Iterable

from fas.claims.advice import is_put_in
from fas.claims.clause import Clause, Word
from fas.claims.morphology import gerund, participle
from fas.reading.command_words import ADVICE_VERBS
from fas.reading.trees import NEGATIONS, Token

_MOVABLE = frozenset(
    "if unless when whenever while until till before after once because since as where provided so although though whether lest".split()
)
_AS_SOON = [["as", word] for word in ("soon", "long", "much", "often")]
_SOFTENERS = frozenset("please just simply always also kindly then instead do n't not never first".split())
# Without them, an order would say something else ("do not abruptly stop ...").
_MANNERS = frozenset("abruptly suddenly routinely gradually slowly gently regularly carefully immediately".split())
# Verbs whose imperative reads better as "X should be ...".
_PASSIVE = frozenset(
    "avoid stop limit reduce discontinue minimize minimise restrict eliminate decrease increase skip replace continue".split()
)
_RELIEVED = frozenset(
    "pain ache fever headache migraine nausea vomiting itching itch itchiness swelling inflammation cough congestion cramp cramping "
    "heartburn diarrhea diarrhoea constipation soreness discomfort rash allergy cold flu insomnia anxiety depression infection acne "
    "stiffness spasm bloating gas indigestion reflux irritation dizziness hives burn bite relief symptom dryness".split()
)
_REMEDY_VERBS = frozenset("take use try apply drink eat".split())


def is_imperative(clause: Clause) -> bool:
    """Whether the clause tells the reader to do something."""
    root = clause.predicate
    if is_put_in(clause):
        # "You should be open with your doctor" says what patients should be: a statement as it stands.
        is_state = any(kid.lower == "be" for kid in clause.children(root.i, "cop", "aux"))
        return not is_state and any(aux.lower == "should" for aux in clause.children(root.i, "aux"))
    if root.pos not in {"VERB", "AUX"} or clause.subject is not None or root.lower != root.lemma:
        return False
    if root.tag not in {"VB", "VBP", "NN", ""}:
        return False
    if clause.child(root.i, "mark") is not None or clause.child(root.i, "cop") is not None:
        return False
    if any(aux.lemma != "do" and aux.lower not in {"do", "don't"} for aux in clause.children(root.i, "aux")):
        return False
    if any(
        clause.child(kid.i, "cop") and not clause.child(kid.i, "nsubj") for kid in clause.children(root.i, "parataxis")
    ):
        return False  # "lie bumps, also called ..., are sores": its own verb was taken for a second sentence
    for kid in clause.children(root.i):
        if kid.i < root.i and kid.dep.split(":")[0] in {"obj", "iobj", "xcomp", "ccomp", "conj"}:
            return False
    return True


def as_recommended(clause: Clause, front: Iterable[Word] = ()) -> list[Word] | None:
    """`Take it with food if you feel sick` as `Taking it with food is recommended if ...`."""
    root = clause.predicate
    negative = is_denied(clause, root.i)
    before: list[Word] = list(front)
    dropped: set[int] = {root.i}
    for kid in clause.children(root.i):
        if kid.i > root.i:
            continue
        places = clause.part(kid.i)
        if kid.dep.split(":")[0] in {"advcl", "obl"} and kid.lower not in _SOFTENERS:
            before.extend(clause.words(places))
        dropped.update(places)
    if before and before[-1].text != ",":
        before.append(Word(","))
    after: set[int] = set()
    last_command = max((kid.i for kid in _further_commands(clause, root)), default=-1)
    for kid in clause.children(root.i, "advcl", "obl", "parataxis"):
        opening = clause.sentence.tokens[clause.part(kid.i)[0]]
        mark = clause.child(kid.i, "mark")
        conditional = opening.lower in _MOVABLE or (mark is not None and mark.lower in _MOVABLE)
        first = clause.part(kid.i)[0]
        if kid in _listed_commands(clause, root) or (first and clause.sentence.tokens[first - 1].text == "("):
            continue
        if kid.i > root.i and ((kid.dep.startswith("advcl") and conditional) or kid.dep == "parataxis"):
            start = clause.part(kid.i)[0]
            if kid.dep.startswith("advcl") and start < last_command:
                continue  # "wear sunscreen when you are outside and reapply it": the second goes with the first
            if (
                opening.lower == "as"
                and [clause.sentence.tokens[p].lower for p in range(max(0, start - 2), start)] in _AS_SOON
            ):
                start -= 2
            after.update(p for p in clause.keep if p >= start)
    core = sorted(clause.keep - dropped - after - {p for p in clause.keep if p < root.i})
    tokens = clause.sentence.tokens
    while core and (tokens[core[-1]].text in {",", ".", ";", "!", ":", "-", "–"} or tokens[core[-1]].tag == "CC"):
        core.pop()
    # What is owned, so that the span covers the verb although it is reworded.
    said = _said(clause, root, core, negative)
    if said is None:
        return None
    return [*before, *said, *clause.words(after)]


def _said(clause: Clause, root: Token, core: list[int], negative: bool) -> list[Word] | None:
    thing = clause.child(root.i, "obj") or _verbal_noun(clause, root)
    if root.lemma == "consider" and thing is not None and not negative:
        return _passive(clause, root, core, thing, "may be considered")
    if root.lemma == "avoid" and thing is not None and negative:
        return _passive(clause, root, core, thing, "should not be avoided")
    if root.lemma in _PASSIVE and thing is not None and not (negative and thing.tag == "VBG"):
        verb = f"should {'not ' if negative else ''}be {participle(root.lemma)}"
        return _passive(clause, root, core, thing, verb)
    relieved = _relieved(clause, root, core)
    if relieved is not None and not negative:
        helped = clause.part(relieved.i)
        case = {p for kid in clause.children(relieved.i, "case") for p in clause.part(kid.i)}
        rest = [p for p in core if p not in helped]
        return [Word(gerund(root.lemma), root.i), *clause.words(rest), Word("helps"), *clause.words(set(helped) - case)]
    verdict = "is not recommended" if negative else "is recommended"
    also = {kid.i: gerund(kid.lemma) for kid in _further_commands(clause, root) if kid.i in core}
    verdict = verdict.replace("is", "are", 1) if also and not negative else verdict
    manner = [kid for kid in clause.children(root.i, "advmod") if kid.i < root.i and kid.lower in _MANNERS]
    return [
        *clause.words(kid.i for kid in manner),
        Word(gerund(root.lemma), root.i),
        *clause.reworded(also).words(core),
        Word(verdict),
    ]


def _further_commands(clause: Clause, root: Token) -> list[Token]:
    """Imperatives that go with the first, in the order of the text."""
    joined = [kid for kid in clause.children(root.i, "conj") if kid.tag in {"VB", "VBP"} or kid.lower in ADVICE_VERBS]
    # "call 911 and chew aspirin": the parser joined the second verb to the number.
    for thing in clause.children(root.i, "obj", "obl"):
        joined += [kid for kid in clause.children(thing.i, "conj") if kid.tag == "VB" and kid.lower in ADVICE_VERBS]
    return sorted([*joined, *_listed_commands(clause, root)], key=lambda kid: kid.i)


def _listed_commands(clause: Clause, root: Token) -> list[Token]:
    """Further imperatives of a list that the parser set beside the first (`call a doctor, visit a clinic, or ...`)."""
    if is_denied(clause, root.i):
        return []
    tokens = clause.sentence.tokens
    found = [
        kid
        for kid in clause.children(root.i, "parataxis")
        if kid.i > root.i
        and tokens[clause.part(kid.i)[0] - 1].text == ","
        and kid.lower in ADVICE_VERBS
        and clause.child(kid.i, "nsubj", "aux") is None
    ]
    return found + [last for kid in found for last in clause.children(kid.i, "conj") if last.lower in ADVICE_VERBS]


def _verbal_noun(clause: Clause, root: Token) -> Token | None:
    return next(
        (
            kid
            for kid in clause.children(root.i, "xcomp", "ccomp", "advcl")
            if kid.tag == "VBG" and kid.i > root.i and clause.child(kid.i, "mark", "nsubj") is None
        ),
        None,
    )


def _passive(clause: Clause, root: Token, core: list[int], thing: Token, verb: str) -> list[Word]:
    places = clause.part(thing.i)
    conditions: set[int] = set()
    if thing.tag == "VBG":  # "avoid drinking alcohol while ...": the condition is not part of the drinking
        for kid in clause.children(thing.i, "advcl"):
            mark = clause.child(kid.i, "mark")
            if kid.i > thing.i and mark is not None and mark.lower in _MOVABLE:
                conditions.update(clause.part(kid.i))
    rest = [p for p in core if p not in places or p in conditions]
    if rest and clause.sentence.tokens[rest[0]].lower == "by":  # "consider an evaluation by ...": of the thing
        agent = clause.part(clause.sentence.tokens[rest[0]].head)
        places, rest = [*places, *agent], [p for p in rest if p not in agent]
    return [*clause.words(set(places) - conditions), Word(verb, root.i), *clause.words(rest)]


def _relieved(clause: Clause, root: Token, core: list[int]) -> Token | None:
    if root.lemma not in _REMEDY_VERBS or clause.child(root.i, "obj") is None:
        return None
    found = clause.children(root.i, "obl") + [
        kid for obj in clause.children(root.i, "obj") for kid in clause.children(obj.i, "nmod")
    ]
    for kid in found:
        case = clause.child(kid.i, "case")
        if (
            case is not None
            and case.lower == "for"
            and (kid.lemma in _RELIEVED or kid.lower.endswith(("itis", "algia")))
        ):
            # "for pain, up to 3 g a day": what is taken would lose its dose.
            told = clause.part(kid.i)
            return kid if all(clause.sentence.tokens[p].tag not in {"CD", "HYPH", ","} for p in told) else None
    return None


def is_denied(clause: Clause, place: int) -> bool:
    """Whether a negation stands before the predicate at *place* and belongs to it."""
    return any(kid.lower in NEGATIONS and kid.i < place for kid in clause.children(place))
