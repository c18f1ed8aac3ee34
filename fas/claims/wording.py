"""Advice put as statements, and statements put without `I` and `you`."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

from collections.abc import Iterable

from fas.claims.advice import ADVICE_VERBS, is_put_in
from fas.claims.clause import PRACTITIONER, Clause, Word
from fas.claims.morphology import gerund, participle
from fas.claims.parsed import NEGATIONS, Token

_MOVABLE = frozenset(
    "if unless when whenever while until till before after once because since as where provided so although though whether lest".split()
)
_AS_SOON = [["as", word] for word in ("soon", "long", "much", "often")]
_SOFTENERS = frozenset("please just simply always also kindly then instead do n't not never first".split())
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
_PERSONAL = frozenset(
    "i we you he she they doctor physician provider specialist pharmacist expert team nurse dermatologist".split()
)
_RECOMMEND = frozenset("recommend suggest advise encourage urge".split())
_BEFORE_OBJECTS = frozenset(
    "help helps helping helped let lets make makes making for with to of from on at by against about".split()
)
# What `they` do when they are the people who were asked for advice.
_DEEDS = frozenset(
    "consider recommend suggest believe think want advise discuss ask tell mention note explain emphasize offer schedule agree feel "
    "review examine refer order assess evaluate reassure clarify understand hope stress provide".split()
)
_ONE_PERSON = frozenset("i me my mine myself i'm i've he she him his her hers himself herself".split())


def is_imperative(clause: Clause) -> bool:
    """Whether the clause tells the reader to do something."""
    root = clause.predicate
    if is_put_in(clause):
        return any(aux.lower == "should" for aux in clause.children(root.i, "aux"))
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


def declared(clause: Clause) -> list[Word] | None:
    """The words of the clause as a statement about the matter, not about who writes or reads it.

    Imperatives become what is recommended, advice loses its adviser. None for a clause that
    tells what happened to one person, or that has no subject to speak of.
    """
    if is_imperative(clause):
        return _advice(clause, clause)
    if is_narrative(clause):
        return None
    advised = _recommended(clause)
    if advised is not None:
        return advised
    if not clause.is_complete:
        return None
    return clause.words()


def _negation(clause: Clause, place: int) -> bool:
    return any(kid.lower in NEGATIONS and kid.i < place for kid in clause.children(place))


def _advice(clause: Clause, outer: Clause, front: Iterable[Word] = ()) -> list[Word] | None:
    """`Take it with food if you feel sick` as `Taking it with food is recommended if ...`."""
    root = clause.predicate
    negative = _negation(clause, root.i)
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
    for kid in clause.children(root.i, "advcl", "obl", "parataxis"):
        opening = clause.sentence.tokens[clause.part(kid.i)[0]]
        mark = clause.child(kid.i, "mark")
        conditional = opening.lower in _MOVABLE or (mark is not None and mark.lower in _MOVABLE)
        first = clause.part(kid.i)[0]
        if kid in _listed_commands(clause, root) or (first and clause.sentence.tokens[first - 1].text == "("):
            continue
        if kid.i > root.i and ((kid.dep.startswith("advcl") and conditional) or kid.dep == "parataxis"):
            start = clause.part(kid.i)[0]
            if (
                opening.lower == "as"
                and [clause.sentence.tokens[p].lower for p in range(max(0, start - 2), start)] in _AS_SOON
            ):
                start -= 2
            after.update(p for p in clause.keep if p >= start)
    core = sorted(clause.keep - dropped - after - {p for p in clause.keep if p < root.i})
    while core and clause.sentence.tokens[core[-1]].text in {",", ".", ";", "!", ":", "-", "–"}:
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
    if root.lemma in _PASSIVE and thing is not None:
        verb = f"should {'not ' if negative else ''}be {participle(root.lemma)}"
        return _passive(clause, root, core, thing, verb)
    relieved = _relieved(clause, root, core)
    if relieved is not None and not negative:
        helped = clause.part(relieved.i)
        case = {p for kid in clause.children(relieved.i, "case") for p in clause.part(kid.i)}
        rest = [p for p in core if p not in helped]
        return [Word(gerund(root.lemma), root.i), *clause.words(rest), Word("helps"), *clause.words(set(helped) - case)]
    verdict = "is not recommended" if negative else "is recommended"
    also = {
        kid.i: gerund(kid.lemma)
        for kid in clause.children(root.i, "conj")
        if kid.tag in {"VB", "VBP"} or kid.lower in ADVICE_VERBS
    }
    also |= {kid.i: gerund(kid.lemma) for kid in _listed_commands(clause, root)}
    verdict = verdict.replace("is", "are", 1) if also and not negative else verdict
    return [Word(gerund(root.lemma), root.i), *clause.reworded(also).words(core), Word(verdict)]


def _listed_commands(clause: Clause, root: Token) -> list[Token]:
    """Further imperatives of a list that the parser set beside the first (`call a doctor, visit a clinic, or ...`)."""
    if _negation(clause, root.i):
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
            return kid
    return None


def _recommended(clause: Clause) -> list[Word] | None:
    """`They recommend that you see a urologist` as `Seeing a urologist is recommended`."""
    root = clause.predicate
    subject = clause.subject
    if root.lemma not in _RECOMMEND or root.pos != "VERB" or subject is None:
        return None
    if subject.lemma not in _PERSONAL and subject.lower not in _PERSONAL:
        return None
    negative = _negation(clause, root.i)
    ground = set(clause.part(subject.i))
    front = [
        w for kid in clause.children(root.i, "advcl") if kid.i < subject.i for w in clause.words(clause.part(kid.i))
    ]
    content = clause.child(root.i, "ccomp", "xcomp")
    if content is not None:
        inner = clause.only(set(clause.part(content.i)), content.i)
        own = inner.child(content.i, "nsubj")
        if own is not None and own.lower in _ONE_PERSON:
            return None
        if own is not None and own.lower not in {"you", "patients"}:
            if content.tag == "VBG" or inner.child(content.i, "cop"):
                return None
            marks = {p for kid in inner.children(content.i, "mark") for p in inner.part(kid.i)}
            words = inner.words(inner.keep - marks)
            if not inner.children(content.i, "aux"):
                words = [Word(f"should {content.lemma}", content.i) if word.at == content.i else word for word in words]
            return [*front, *words]
        gone = {
            p
            for kid in inner.children(content.i, "mark", "nsubj")
            if kid.lower in {"that", "to", "you", "patients"}
            for p in inner.part(kid.i)
        }
        gone |= {aux.i for aux in inner.children(content.i, "aux")}
        late = [kid for kid in clause.children(root.i, "advcl") if kid.i > content.i]
        inner = inner.without(gone)
        if content.pos not in {"VERB", "AUX"}:
            return None
        advice = _advice(inner, clause, front)
        if advice is None:
            return None
        tail = [w for kid in late for w in clause.words(clause.part(kid.i))]
        return [*_denied(advice, negative), *tail]
    thing = clause.child(root.i, "obj")
    if thing is None or thing.lower in {
        "you",
        "it",
        "this",
        "that",
        "them",
        "number",
        "few",
        "things",
        "something",
        "anything",
    }:
        return None
    if any(aux.lower in {"may", "might", "can", "could"} for aux in clause.children(root.i, "aux")):
        return None
    places = set(clause.part(thing.i))
    rest = {p for p in clause.keep if p > max(places)}
    single = any(kid.lower in {"a", "an"} for kid in clause.children(thing.i, "det"))
    several = thing.tag in {"NNS", "NNPS"} or clause.child(thing.i, "conj") is not None
    verb = "are" if several and not single else "is"
    verdict = Word(f"{verb} {'not ' if negative else ''}recommended", root.i)
    return [*front, *clause.words(places), verdict, *clause.words(rest - ground)]


def _denied(words: list[Word], negative: bool) -> list[Word]:
    if not negative:
        return words
    return [Word("is not recommended", word.at) if word.text == "is recommended" else word for word in words]


def is_narrative(clause: Clause) -> bool:
    """Whether the clause tells of one person: the writer, the reader as a case, somebody else."""
    tokens = clause.sentence.tokens
    reported = _adviser(clause)
    if any(
        tokens[p].lower in _ONE_PERSON and tokens[p].text not in {"i", "HE", "ME"} and p != reported
        for p in clause.keep
    ):
        return True
    if any(_tells_what_you_did(clause, tokens[p]) for p in clause.keep if tokens[p].lower == "you"):
        return True
    subject = clause.subject
    if subject is None:
        return False
    root = clause.predicate
    if subject.i != _adviser(clause) and PRACTITIONER.search(subject.text) and _is_about_practitioner(clause, subject):
        return True
    if _goes_on(clause) and any(tokens[p].lower == "you" and tokens[p].head == clause.root for p in clause.keep):
        return True
    yours = subject.lower == "you" or any(kid.lower == "your" for kid in clause.children(subject.i))
    auxiliaries = [aux.lower for aux in clause.children(root.i, "aux")]
    modal = any(aux.tag == "MD" for aux in clause.children(root.i, "aux"))
    unnamed = subject.lower == "they" and subject.i not in clause.replaced and subject.i != _adviser(clause)
    if unnamed and (root.lemma in _DEEDS or root.lower == "able"):
        return True
    if subject.lower in {"we", "us"}:
        return root.tag == "VBD" or bool({"'ve", "had", "have"} & set(auxiliaries))
    if not yours or modal:
        return False
    past = root.tag == "VBD" or any(kid.tag == "VBD" for kid in clause.children(root.i, "aux", "cop"))
    perfect = root.tag == "VBN" and bool({"have", "has", "'ve", "had"} & set(auxiliaries))
    going_on = root.tag == "VBG" and subject.lower == "you"
    stated = (
        subject.lower == "you"
        and root.lemma in {"have", "seem", "sound", "look", "mention", "say", "describe", "feel", "be"}
        and clause.child(root.i, "advcl", "xcomp") is None
    )
    called = (
        subject.lower == "you" and clause.child(root.i, "cop") is not None and clause.child(root.i, "advcl") is None
    )
    return past or perfect or going_on or stated or called


def _tells_what_you_did(clause: Clause, you: Token) -> bool:
    """`You mentioned`, `since you had`; not `if you have had`."""
    if not you.dep.startswith("nsubj"):
        return False
    verb = clause.sentence.tokens[you.head]
    marks = {mark.lower for mark in clause.sentence.children(verb.i, "mark", "advmod")}
    if marks & {"if", "unless", "when", "whenever", "whether", "once", "after", "before", "until"}:
        return False
    auxiliaries = clause.sentence.children(verb.i, "aux", "cop")
    past = verb.tag == "VBD" or any(
        aux.tag == "VBD" and aux.lower not in {"could", "would", "should", "might"} for aux in auxiliaries
    )
    told = verb.tag == "VBN" and verb.lemma in _TOLD and any(aux.lemma in {"have", "'ve"} for aux in auxiliaries)
    return (past or told) and verb.i in clause.keep


_TOLD = frozenset("describe mention say note report share provide tell ask explain list outline".split())


def _goes_on(clause: Clause) -> bool:
    """Whether the predicate is in the progressive (`this is causing you distress`)."""
    return clause.predicate.tag == "VBG" and clause.child(clause.root, "aux") is not None


def _adviser(clause: Clause) -> int | None:
    """Place of the `I` or `she` that recommends something, which the statement will lose."""
    subject = clause.subject
    if clause.predicate.lemma not in _RECOMMEND or subject is None:
        return None
    return subject.i


def _is_about_practitioner(clause: Clause, subject: Token) -> bool:
    """What the reader's own doctor feels, would like or did; not what doctors may do."""
    if not any(kid.lower in {"your", "the", "his", "her", "their"} for kid in clause.children(subject.i)):
        return False
    root = clause.predicate
    auxiliaries = {aux.lower for aux in clause.children(root.i, "aux")}
    feels = root.pos == "ADJ" and not auxiliaries & {"may", "might", "can", "will", "should"}
    wishes = "would" in auxiliaries or root.lemma in {
        "want",
        "need",
        "hope",
        "understand",
        "appreciate",
        "wish",
        "express",
        "acknowledge",
        "feel",
        "offer",
        "plan",
        "agree",
        "apologize",
    }
    return feels or wishes or root.tag == "VBD"


def impersonal(words: list[Word], clause: Clause) -> list[Word]:
    """`you` becomes patients, `your doctor` a doctor, `your liver` the liver."""
    tokens = clause.sentence.tokens
    named = any(word.text.lower() in {"patients", "people"} for word in words)
    result: list[Word] = []
    for number, word in enumerate(words):
        lower = word.text.lower()
        following = words[number + 1].text if number + 1 < len(words) else ""
        if lower == "you":
            before = words[number - 1].text.lower() if number else ""
            subject = word.at is not None and tokens[word.at].dep.startswith("nsubj") and before not in _BEFORE_OBJECTS
            text = ("they" if subject else "them") if named else "patients"
            named = True
            result.append(Word(text, word.at))
        elif lower in {"your", "ur"}:
            owner = _owner(words, number, following, named, tokens)
            named = named or owner == _A_PATIENTS
            result.append(Word(owner, word.at))
        elif lower in {"yourself", "yourselves"}:
            result.append(Word("themselves" if named else "oneself", word.at))
        elif word.text in {"we", "We", "us"}:
            result.append(Word("people", word.at))
        elif lower == "our":
            result.append(Word("the", word.at))
        elif (
            lower in {"'re", "’re"}
            and result
            and result[-1].text.lower() not in {"you", "we", "there", "these", "those"}
        ):
            result.append(Word("are", None))
        elif lower in {"'ve", "’ve"} and result and result[-1].text in {"patients", "they", "people"}:
            result.append(Word("have", None))
        elif lower in {"'ll", "’ll"} and result and result[-1].text in {"patients", "they", "people"}:
            result.append(Word("will", None))
        elif lower in {"'d", "’d"} and result and result[-1].text in {"patients", "they", "people"}:
            result.append(Word("would", None))
        else:
            result.append(word)
    return result


def _owner(words: list[Word], number: int, following: str, addressed: bool, tokens: list[Token]) -> str:
    place = words[number].at
    head = tokens[tokens[place].head] if place is not None else None
    noun = head.text if head is not None else following
    if PRACTITIONER.search(following) or (PRACTITIONER.search(noun) and not (head is not None and head.tag == "NNS")):
        return "an" if following[:1].lower() in "aeio" else "a"
    if addressed:
        return "their"
    lemma = head.lemma if head is not None else following.lower()
    return _A_PATIENTS if lemma in _OF_A_CASE else "the"


_A_PATIENTS = "a patient's"
# What no two readers share; "the" would point at one that was spoken of.
_OF_A_CASE = frozenset(
    "symptom condition concern situation case need history circumstance period anxiety risk age lifestyle preference diagnosis "
    "health result question".split()
)
