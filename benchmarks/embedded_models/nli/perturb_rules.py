"""Rules that turn a claim into one that says something else, or the same in other words.

A rule takes a sentence and a random generator and gives the changed sentence, or `None`
where it has no safe place to work. Rules prefer not to fire: a sentence with a modal, two
negations or an unclear verb is left alone.
"""

from __future__ import annotations

import random
import re

from benchmarks.embedded_models.nli.claim_forms import BASES, NOT_AFTER_PAST, NOT_BEFORE, WORDS, any_of, forms, main_verb, upper_first

_MODAL = re.compile(r"\b(?:may|might|could|would|potential(?:ly)?|possibl[ey]|likely to|suggest\w*|appears?|appeared|seems?)\b", re.I)
_NEGATION = re.compile(
    r"\b(?:not|no|never|neither|nor|none|cannot|without|fail(?:s|ed)?|lack(?:s|ed|ing)?|unchanged|unaffected|absence|absent|"
    r"unlike|nothing|hardly|rarely|instead|independent(?:ly)?|rather)\b|n't\b", re.I,
)
_DEGREE = frozenset({"more", "most", "less", "least", "as", "so", "very", "or", "least,", "highly"})
_SUBORDINATE = re.compile(r"\b(?:which|that|who|whom|whose|where|when|if|because|although|though|while|whereas|than|until|unless|whether)\b")


def _clean_subject(subject: str) -> bool:
    return not (
        _SUBORDINATE.search(subject) or re.search(r"\d+(?:\.\d+)?%|\b\d+ (?:of|patients|subjects)", subject)
        or re.search(r"\b(?:all|some|many|most|several|few|subset|only|each|every|either|half|partially|one|two|three|including|but|especially)\b", subject, re.I)
        or subject.count(",") > 1 or ";" in subject
    )


def negation_in(text: str, rng: random.Random) -> str | None:
    """"X was effective" -> "X was not effective"; "X reduced Y" -> "X did not reduce Y"."""
    if _NEGATION.search(text) or _MODAL.search(text):
        return None
    verb = main_verb(text)
    if verb is None or not _clean_subject(text[: verb[1]]):
        return None
    kind, start, end, base = verb
    before, after = text[:start], text[end:]
    if re.match(r" (?:only|still|already|both|either|just|yet|almost|nearly|even|solely|also|all|to|now|in part|one|two|three|most|often)\b| \d", after):
        return None
    if kind == "aux":
        if base in ("has", "have", "had") and not re.match(r" (?:\w+ly )?(?:been|shown|become|led|begun|grown|undergone)\b", after):
            if re.match(r" (?:\w+ly )?\w+ed\b", after):  # "have altered levels" or "have altered the levels"?
                return None
            return before + {"has": "does", "have": "do", "had": "did"}[base] + " not have" + after
        return before + ("cannot" if base == "can" else f"{base} not") + after
    adverb = re.search(r" (\w+ly) $", before)
    middle = ""
    if adverb:
        before, middle = before[: adverb.start()] + " ", adverb.group(1) + " "
    return before + ("does" if kind == "third" else "did") + f" not {middle}{base}" + after


_NOT = re.compile(r"\b(is|are|was|were|has|have|had|can|does|do|did) ?not ((?:\w+ly )?)(\w+)")
_BE_NO = re.compile(r"\b(there (?:was|were|is|are)|had|has|have|showed|found|with|shows?) no ((?:significant |statistically significant |clear )?"
                    r"(?:difference|association|effect|correlation|change|increase|decrease|improvement|evidence|impact|benefit|interaction|relationship)s?)\b", re.I)


def negation_out(text: str, rng: random.Random) -> str | None:
    """"X did not reduce Y" -> "X reduced Y"; "no significant difference" -> "a significant difference"."""
    if len(_NEGATION.findall(text)) != 1 or _MODAL.search(text) or re.search(r"\b(?:any|either|but|only)\b", text):
        return None
    match = _NOT.search(text)
    if match:
        aux, adverb, verb = match.groups()
        if text[match.end(1): match.end(1) + 4] == "not " or aux != "can":
            if aux in ("does", "do", "did"):
                if aux != "do" and verb not in BASES and verb not in ("differ", "have"):
                    return None
                third, past = forms(verb) if verb != "have" else ("has", "had")
                changed = adverb + {"does": third, "do": verb, "did": past}[aux]
            else:
                changed = f"{aux} {adverb}{verb}"
            return text[: match.start()] + changed + text[match.end():]
        return text[: match.start()] + f"can {adverb}{verb}" + text[match.end():]
    match = _BE_NO.search(text)
    if match is None:
        return None
    noun = match.group(2)
    article = "" if noun.endswith("s") or "evidence" in noun else "an " if noun[0].lower() in "aeiou" else "a "
    return text[: match.start()] + f"{match.group(1)} {article}{noun}" + text[match.end():]


# -- directions, numbers --------------------------------------------------------------------


class _Table:
    """Wordings with what each may be exchanged for, found by one pattern; a longer wording goes before a shorter."""

    def __init__(self, pairs: list[list[str]], *, ignore_case: bool = True, guard: str = "") -> None:
        self.others: dict[str, list[str]] = {}
        for old, new in pairs:
            self.others.setdefault(old.lower() if ignore_case else old, []).append(new)
        words = "|".join(sorted(map(re.escape, self.others), key=len, reverse=True))
        self.pattern = re.compile(rf"(?<![\w-]){guard}(?:{words})(?![\w-])", re.I if ignore_case else 0)
        self.ignore_case = ignore_case

    def find(self, text: str) -> list[tuple[re.Match[str], list[str]]]:
        """Where *text* has one of the wordings, and the others."""
        return [
            (match, self.others[match.group().lower() if self.ignore_case else match.group()])
            for match in self.pattern.finditer(text)
        ]


def _both_ways(pairs: list[list[str]]) -> list[list[str]]:
    return pairs + [[new, old] for old, new in pairs]


_OPPOSITES = _Table(_both_ways(WORDS["opposites"]) + WORDS["one_way"])
_SUPERLATIVES = _Table(_both_ways(WORDS["superlatives"]))
_FIXED = re.compile(
    r"\b(?:lower (?:limbs?|extremit\w+|respiratory|back|urinary|body|leg)|superior (?:temporal|colliculus|mesenteric|vena|frontal|parietal)|"
    r"inferior (?:vena|frontal|colliculus|parietal|temporal)|protective (?:immunity|equipment)|no longer|longer-term|or (?:older|younger|more|less|higher|greater|later)|"
    r"(?:to|in order to|needed to|designed to|aimed to|not) (?:increase|decrease)|larger than expected|safe drinking|at increased)\b", re.I)


def _match_case(old: str, new: str) -> str:
    return upper_first(new) if old[:1].isupper() else new


def fit_article(text: str, word: str) -> str:
    """*text* with "a" or "an" before *word* as its first letter asks."""
    article = "n " if word[0].lower() in "aeiou" else " "
    return re.sub(rf"\b([Aa])n? (?={re.escape(word)}\b)", lambda match: match.group(1) + article, text)


def _swap(text: str, table: _Table, rng: random.Random) -> str | None:
    found = table.find(text)
    if not found:
        return None
    fixed = [match.span() for match in _FIXED.finditer(text)]
    usable = []
    for match, others in found:
        before = text[: match.start()].split()[-1:]
        if before and before[0].lower() in _DEGREE:
            continue
        if not any(start < match.end() and match.start() < end for start, end in fixed):
            usable.append((match, others))
    if not usable:
        return None
    match, others = rng.choice(usable)
    other = rng.choice(others)
    return fit_article(text[: match.start()] + _match_case(match.group(), other) + text[match.end():], other)


def direction(text: str, rng: random.Random) -> str | None:
    """Turns one word of direction round: "increased" -> "decreased", "more effective" -> "less effective"."""
    if _NEGATION.search(text) or _MODAL.search(text):
        return None
    return _swap(text, _OPPOSITES, rng)


def superlative(text: str, rng: random.Random) -> str | None:
    """"The highest" -> "the lowest"."""
    if _NEGATION.search(text) or _MODAL.search(text) or re.search(r"\bamong the|one of the|at (?:best|worst)\b", text):
        return None
    return _swap(text, _SUPERLATIVES, rng)


_NUMBER = re.compile(
    r"(?<![\w.,·/–-])(?<!\d )" + "".join(f"(?<!{word} )" for word in WORDS["before_scenes"])
    + rf"(\d+(?:\.\d+)?)(%| ?{any_of('units')}\b|-fold)(?![\w/-]| (?:to|or|and|versus|vs) )"
)
_TIME = re.compile(r" ?(?:years?|months?|weeks?|days?|hours?|h|minutes?|min)$")
_DOSE = re.compile(r" ?(?:mg/kg|mg|g|µg|μg|mcg|mL|ml|IU)$")


def _other_number(value: str, unit: str, rng: random.Random) -> str:
    number = float(value)
    decimals = len(value.partition(".")[2])
    if unit.strip() in ("%", "percent", "per cent"):
        choices = [x for x in (number * 3, number / 3, number / 2, number + 24, number - 31) if 0.05 < x < 99.5] or [number / 2]
    else:
        choices = [number * 10, number * 4, number / 2 if number >= 4 else number * 3, number / 5 if number >= 10 else number * 5]
    text = f"{rng.choice(choices):.{decimals}f}"
    return text if float(text) != number else f"{number * 2 + 1:.{decimals}f}"


def number(text: str, rng: random.Random) -> tuple[str, str] | None:
    """Changes one measured number clearly; returns (text, kind).

    The kind is "dose" or "number" where the statement is about the number, and
    "number_unclear" where it only sets the scene ("after 12 weeks, ...", a dose in the
    subject): what holds at one dose or time may hold at another, so that contradicts
    nothing for sure.
    """
    if _MODAL.search(text):
        return None
    found = list(_NUMBER.finditer(text))
    if not found:
        return None
    match = rng.choice(found)
    verb = main_verb(text)
    scene = verb is None or match.start() < verb[1]
    if _TIME.search(match.group(2)):
        last = text[: match.start()].split()[-1:] or [""]
        scene = scene or last[0].lower() not in ("was", "were", "of", "by", "is")
    kind = "dose" if _DOSE.search(match.group(2)) else "number"
    if kind == "dose" and not re.search(r"\b(?:received|receive|given|administered|took|dose of|dose was)\b", text[: match.start()]):
        scene = scene or not re.search(r"\b(?:was|were|by|of) $", text[: match.start()])
    changed = text[: match.start()] + _other_number(match.group(1), match.group(2), rng) + text[match.end(1):]
    return changed, "number_unclear" if scene else kind


_RATIO = re.compile(r"\b(hazard ratio|odds ratio|relative risk|risk ratio|rate ratio|HR|OR|RR)(?: \[[A-Z]+\]| \([A-Z]+\))?[ ,=:]+(?:of |was )?(\d[.·]\d+)")


def ratio(body: str) -> tuple[str, str] | None:
    """The first effect ratio of *body* as ("hazard ratio 0.61", the same on the other side of 1)."""
    match = _RATIO.search(body)
    if match is None:
        return None
    value = float(match.group(2).replace("·", "."))
    if not 0.1 < value < 8 or 0.9 < value < 1.12:
        return None
    return f"{match.group(1)} {value:.2f}", f"{match.group(1)} {1 / value:.2f}"


_COMPARISON = re.compile(
    r"^(?P<head>[^,;]*\b(?:was|were|is|are) (?:(?:significantly|markedly|much|also) )?)(?P<way>higher|lower|greater|longer|shorter|better|worse|"
    r"more \w+|less \w+)(?P<gap> (?:\w+ ){0,3}?)(?P<word>in|for|with|among) (?P<a>[^,;]+?) than (?:(?P=word) )?(?P<b>[^,;]+)\.$"
)
_THAN = re.compile(
    r"^(?P<a>[^,;]+?) (?:was|were|is|are) (?P<how>(?:significantly |markedly |much )?)(?P<way>better|worse|superior|inferior|more \w+|less \w+|larger|smaller|higher|lower) "
    r"(?P<gap>than|(?<=ior )to) (?P<b>[^,;]+?)(?P<rest>(?: (?:in|for|at|among) [^,;]+)?)\.$"
)
_WAY = {"higher": "lower", "greater": "smaller", "longer": "shorter", "better": "worse", "larger": "smaller", "superior": "inferior"}
_WAY |= {b: a for a, b in _WAY.items()} | {"smaller": "larger"}


def comparison(text: str) -> tuple[str, str] | None:
    """"Y was higher in A than in B" as (the same said from B's side, its opposite)."""
    if _NEGATION.search(text) or _MODAL.search(text):
        return None
    match = _COMPARISON.match(text) or _THAN.match(text)
    if match is None:
        return None
    sides, way = f"{match['a']} {match['b']}", match["way"]
    if match.re is _COMPARISON and re.search(r"\b(?:in|for|with|among)\b", sides):
        return None
    if re.search(r"\b(?:and|or|that|those|who|which|other|others|previously|expected|compared|was|were|is|are|did|any|all|those|the rest|average|half|\d+%?)\b", f"{sides} {match['gap']}"):
        return None
    other = _WAY.get(way) or (("less " if way.startswith("more ") else "more ") + way.split()[1])
    if match.re is _COMPARISON:
        turned = f"{match['head']}{{}}{match['gap']}{match['word']} {match['b']} than {match['word']} {match['a']}."
    else:
        first, second = upper_first(match["b"]), lower_first(match["a"])
        turned = f"{first} {'were' if is_plural(first) else 'was'} {match['how']}{{}} {match['gap']} {second}{match['rest']}."
    return turned.format(other), turned.format(way)


def is_plural(phrase: str) -> bool:
    """Whether a noun phrase takes a plural verb, judged by its head before the first preposition."""
    head = re.split(r" (?:of|in|on|for|among|during|after|at|with|to|from|under|by|via|through|across|within|into|towards?|against|between|per) ", phrase)[0]
    last = head.split()[-1]
    return (
        " and " in head or last in ("children", "mice", "men", "women", "data", "people", "bacteria")
        or bool(re.search(r"s$", last) and not re.search(r"(?:ss|is|us|ics|[A-Z]S|itis|-\w{1,3}s)$", last) and last not in ("diabetes",))
    )


def lower_first(phrase: str) -> str:
    """*phrase* as it stands inside a sentence: acronyms and names with digits or hyphens keep their capital."""
    first = phrase.split()[0]
    if re.match(r"[A-Z0-9][A-Z0-9-]|[A-Z]$|\w*\d", first) or "-" in first or re.match(r"[A-Z]\w* [A-Z]", phrase):
        return phrase
    return phrase[0].lower() + phrase[1:]


# -- other population, entity, outcome ------------------------------------------------------


_POPULATIONS = _Table(WORDS["populations"], ignore_case=False)


def population(text: str, premise: str, rng: random.Random) -> tuple[str, str] | None:
    """One population for another that the premise does not name; returns (old, new) wording."""
    options = [
        (match.group(), new) for match, others in _POPULATIONS.find(text) for new in others
        if not re.search(rf"\b{new}\b", premise, re.I)
    ]
    if not options or re.search(r"\b\d+ (?:\w+ )?(?:patients|women|men|children|adults|infants)\b|\bwho\b|\baged\b|\byears\b", text):
        return None
    if re.search(r"\b(?:than|compared|versus|unlike|more|less|higher|lower|both)\b", text):
        return None
    return rng.choice(options)


_MEMBERS = {member.lower(): member for members in WORDS["classes"] for member in members}
_MEMBER = re.compile(r"(?<![\w-])(?:" + "|".join(sorted(map(re.escape, _MEMBERS), key=len, reverse=True)) + r")(?![\w-])", re.I)


def entity(text: str, premise: str, rng: random.Random) -> tuple[str, str] | None:
    """A drug, gene, disease or organism for another of its class; returns (old, new) wording."""
    known, options = premise.lower(), []
    for match in _MEMBER.finditer(text):
        old = _MEMBERS[match.group().lower()]
        options += [(old, new) for members in WORDS["classes"] if old in members for new in members if new.lower() not in known and new != old]
    return rng.choice(options) if options else None


_OUTCOME = re.compile(
    r"(?<![\w-])(?!acute|chronic|overall|recurrent|cumulative|severe|free|node|distant|acute|stage|neuropathic|related|type)(?!\w+(?:al|ic|ive|ous|ary) )[a-z]+ ("
    + "|".join(word for group in WORDS["outcomes"] for word in group) + r")(?= (?:in|and|among|after|at|by|compared|than|during|with)\b|[.,])"
)


def outcome(text: str, premise: str, abstract: str, rng: random.Random) -> tuple[str, str] | None:
    """The outcome after the verb for another, from the same abstract if it names one; returns (old, new)."""
    verb = main_verb(text)
    if verb is None:
        return None
    here = [match.group(1) for match in _OUTCOME.finditer(text, verb[1])]
    if not here:
        return None
    old = rng.choice(here)
    group = next(group for group in WORDS["outcomes"] if old in group)
    others = [word for word in group if word not in premise.lower()]
    nearby = [word for word in others if word in abstract.lower()]
    return (old, rng.choice(nearby or others)) if others else None


def replace(text: str, old: str, new: str) -> str:
    """*text* with every *old* (whole words, any case) turned into *new*; a capital at the start is kept."""
    pattern = re.compile(rf"(?<![\w-]){re.escape(old)}(?![\w-])", re.I)
    changed = pattern.sub(lambda m: _match_case(m.group(), new) if m.start() == 0 else new, text)
    return fit_article(changed, new)


# -- the same in other words ----------------------------------------------------------------

_PARAPHRASES = _Table(WORDS["paraphrases"], ignore_case=False, guard="(?<!when )(?<!as )(?<!were )(?<!was )")
_ACTIVE = re.compile(
    r"^(?P<subject>[^,;]{2,60}?) (?:significantly |markedly |strongly )?(?P<verb>reduced|increased|improved|inhibited|prevented|suppressed|"
    r"enhanced|attenuated|blocked|stimulated|abolished|restored|accelerated|delayed|impaired) (?P<object>[^,;]{4,90})\.$"
)


def paraphrase(text: str, rng: random.Random) -> str | None:
    """Up to two wordings exchanged for others that mean the same."""
    found = _PARAPHRASES.find(text)
    if not found:
        return None
    picked = sorted(rng.sample(found, min(len(found), rng.choice((1, 2)))), key=lambda item: -item[0].start())
    for match, others in picked:
        new = rng.choice(others)
        text = fit_article(text[: match.start()] + new + text[match.end():], new)
    return upper_first(text)


def passive(text: str) -> str | None:
    """"X reduced Y in Z" -> "Y in Z was reduced by X", for short subjects and plain objects."""
    match = _ACTIVE.match(text)
    if match is None or _NEGATION.search(text) or _MODAL.search(text):
        return None
    subject, target = match["subject"], match["object"]
    if len(subject.split()) > 6 or re.search(
        r"\b(?:that|which|who|by|was|were|is|are|had|has|have|but|showed|from|than|compared|while|when|also|not|relative|as|whereas|respectively|can|cause|causes|when|if)\b",
        f"{subject} {target}",
    ):
        return None
    if re.search(r"\b(?:and|to|with)\b", subject) or re.search(r"\b(?:and|or|to) (?:\w+ly )?\w+(?:ed|s)\b", target):
        return None
    if subject.split()[-1].lower() in NOT_BEFORE or target.split()[0].lower() in NOT_AFTER_PAST or re.match(r"\d|\w+ly\b", target):
        return None
    return f"{upper_first(target)} {'were' if is_plural(target) else 'was'} {match['verb']} by {lower_first(subject)}."
