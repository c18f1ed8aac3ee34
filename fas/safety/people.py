"""Who a question speaks of where, and who of them is the patient."""

from __future__ import annotations

import re

from fas.safety.facts import clause_close, clause_start

_KIN = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|bf|gf|hubby|son|daughter|child|children|kids?|baby|infant|"
    r"toddler|newborn|mother|mom|mum|father|dad|"
    r"sister|brother|grandmother|grandma|grandfather|grandpa|aunt|uncle|cousin|friend|neighbou?r|"
    r"patient|roommate|niece|nephew|parents?|"
    r"twin|buddy|pal|housemate|workmate|grandson|granddaughter|boy|girl|teenager|co-?worker|colleague|classmate|flatmate|boss|"
    r"nan|nana|granny|gran|grandad|granddad|spouse|mate|little one|stepson|stepdaughter|acquaintance|"
    r"fianc[eé]e?|family|relatives?)"
)
_PERSON = re.compile(
    rf"\b(?:(?P<self>i|i'm|im|i've|me|myself|(?<!of )mine|my(?!\s+(?:[\w-]+\s+){{0,3}}?(?:{_KIN}\b|\d)))|"
    rf"(?P<kin>(?:my|our|his|her|a|an|the)\s+(?:[\w-]+\s+){{0,3}}?{_KIN}|"
    r"(?:mum|mom|dad|grandpa|grandma|granny|grandad|nan|husband|wife|son|daughter)"
    r"(?=\s+(?:(?:and i|is|has|was|had|takes|got|can|needs|suffers|asks|wants|with)\b|\()))|"
    r"(?P<chart>(?-i:(?<![\d.])\d{1,3}\s?(?:y/?o? ?)?[MF]\b))|"
    r"(?P<other>(?:someone|somebody)(?! (?:tell|please|explain|help|advise|recommend|with|who))(?: (?:in|at|"
    r"from|on) (?:my|our|the) \w+)?|(?:the |a |"
    r"this |that )?(?:lady|man|woman|guy|bloke|chap) "
    r"(?:next door|(?:at|in|from) (?:work|the|my|our))|(?-i:(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Jan|"
    r"Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[A-Z][a-z]{2,})(?=,? (?:who|which) (?:has|have|had|is|takes|"
    r"suffers)\b|, \d+ weeks))|"
    r"(?P<old>\d{1,3}[- ]?(?:year|yr|month|week|day)s?[- ]old|\d{1,2} ?y/?o\b)|(?P<he>he|him|his)|"
    r"(?P<she>she|her)|(?P<they>they|them)|(?P<ours>ours))\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\b(?:can|could|may|should|would it be|is it|is|are|what|which|how|do|does|will|would)\b[^.?!]*", re.IGNORECASE
)

_OF_SELF = re.compile(
    rf"\b(?:i (?:also |just |now |always |often )?(?:have|had|am|was|get|got|take|took|use|feel|suffer|need|want|broke|"
    rf"hurt|can't|cannot)|i'(?:m|ve)|im|(?<!asked )(?<!told )(?<!tell )(?<!asks )(?<!tells )me|myself|(?<!of )mine|"
    rf"my(?!\s+(?:[\w-]+\s+){{0,3}}?(?:{_KIN}\b|\d)))\b",
    re.IGNORECASE,
)
_CARER = re.compile(
    r"\b(?:i|we) (?:also )?(?:look after|care for|am (?:the )?(?:\w+ )?(?:carer|nanny|babysitter)|"
    r"'m (?:looking after|caring for))",
    re.IGNORECASE,
)


_HERE = re.compile(
    r"\b(?:i'm|i am|im) (?:a )?(?:(?!on\b|at\b|taking\b|over\b|up\b)\w+ (?:of )?)?\d{2}\b(?! ?(?:mg|mcg|weeks|wks))|"
    r"\bi myself\b|\bmyself\b",
    re.IGNORECASE,
)
_OWN_STATE = re.compile(
    r"\bi (?:myself )?(?:also |now )?(?:have|had|am|was|get|got|suffer|take|took|feel|need)\b|\bmyself\b", re.IGNORECASE
)
_CHILD = r"(?:son|daughter|child|kid|baby|infant|toddler|newborn|boy|girl|little one|grandson|granddaughter)"
_MALE = re.compile(
    r"husband|hubby|boyfriend|bf|son|father|dad|brother|grandfather|grandpa|grandad|granddad|uncle|nephew|grandson|boy|stepson",
    re.IGNORECASE,
)
_FEMALE = re.compile(
    r"wife|girlfriend|gf|daughter|mother|mom|mum|sister|grandmother|grandma|nan|nana|granny|gran|aunt|niece|"
    r"granddaughter|girl",
    re.IGNORECASE,
)
# What somebody was or is, and nobody new.
_STAGE = re.compile(
    r"\b(?:as|was|is|'s|such|like) (?:quite )?an? (?:\w+ )?(?:girl|boy|child|kid|baby|teenager|toddler)$", re.IGNORECASE
)
_ASKS_FOR = re.compile(
    r"\b(?:can|could|may|should|shall|must|is it (?:\w+ )?for|are|am|would) (?:i|we|he|she|they)\b", re.IGNORECASE
)
_WRITTEN_FOR = re.compile(
    rf"\b(?:(?:writing|asking|posting|here|this is|it's|question) (?:\w+ )?(?:for|about|on behalf of)|(?:it's|"
    rf"is) for) (?:my|our) (?:\w+ )?"
    rf"(?P<who>{_KIN})\b(?! (?:and|or) (?:i|me)\b)",
    re.IGNORECASE,
)
_PLURAL = re.compile(r"s$|children|family|child|baby|patient|partner|friend|spouse", re.IGNORECASE)


class People:
    """Who is spoken of where, and who the patient is."""

    def __init__(self, plain: str) -> None:
        self._plain = plain
        self._persons: list[tuple[int, str]] = []
        last_kin = ""
        ends = -10
        for match in _PERSON.finditer(plain):
            kind = match.lastgroup
            if kind in ("self", "chart"):  # a clinician's "52F" is the patient
                self._persons.append((match.start(), "self"))
            elif kind == "kin":
                if re.search(r"\bit(?:'s|\u2019s| is| was) $", plain[: match.start()], re.IGNORECASE):
                    continue  # "it's a girl!"
                if last_kin and _STAGE.search(plain[max(0, match.start() - 12) : match.end()]):
                    continue  # "as a girl", "is a big girl": the person spoken of
                if not self._persons and re.match(r"(?:his|her)\b", match["kin"], re.IGNORECASE):
                    # "her sister has epilepsy, she does not": the patient is the one whose sister it is
                    self._persons.append((match.start(), "patient"))
                last_kin, ends = match["kin"].lower().split()[-1], match.end()
                self._persons.append((match.start(), last_kin))
            elif kind == "other":
                self._persons.append((match.start(), "stranger"))
            elif kind == "ours":
                last_kin = next((who for _, who in self._persons if who != "self"), last_kin)
                self._persons.append((match.start(), last_kin or "self"))
            elif kind == "old":
                if last_kin and plain[ends : match.start()].strip(" ,(") == "":
                    self._persons.append((match.start(), last_kin))  # "my son, 10 yo"
                elif re.search(r"\b(?:i'?m|i am|as an?|im)(?: an?)? ?$", plain[: match.start()], re.IGNORECASE):
                    self._persons.append((match.start(), "self"))
                elif last_kin and re.search(r"\b(?:is|was|turned|turns)(?: \w+)? ?$", plain[: match.start()]):
                    self._persons.append((match.start(), last_kin))  # "my baby is 11 months old"
                elif not last_kin and self._is_adult(match):
                    self._persons.append((match.start(), "self"))  # "43 yr old woman, overactive thyroid": the asker
                else:
                    following = re.match(rf"[\s-]*(?:[\w-]+\s+)?({_KIN})\b", plain[match.end() :], re.IGNORECASE)
                    last_kin = following[1].lower() if following else "child"
                    self._persons.append((match.start(), last_kin))
            elif last_kin and not (kind == "they" and self._persons[-1][1] == "self" and not _PLURAL.search(last_kin)):
                # After the asker has spoken of himself, "them" means things, not one relative.
                self._persons.append((match.start(), self._meant(match, last_kin)))
        self.patient = self._find_patient()

    def _find_patient(self) -> str:
        kinds = {who for _, who in self._persons} - {"stranger"}
        if len(self._persons) == 1 and self._is_history(self._persons[0][0]):
            return "self"
        if len(kinds) <= 1:
            return next(iter(kinds), "self")
        written_for = _WRITTEN_FOR.search(self._plain)
        if written_for is not None and (whom := written_for["who"].lower()) in kinds:
            return whom
        asking = list(re.finditer(r"[^.?!]*\?", self._plain)) or list(re.finditer(r"[^.!]+$", self._plain))
        for sentence in asking:
            match = _ASKS_FOR.search(sentence.group()) or _ASKING.search(sentence.group())
            if match is None and _OWN_STATE.search(self._plain):
                continue  # "My friend takes something for it?": it is the asker who is ill
            begin = sentence.start() + (match.start() if match else 0)
            inside = [who for at, who in self._persons if begin <= at < sentence.end() and who != "stranger"]
            # "What can I give my son": the last person is treated, the first only gives.
            gives = re.search(
                r"\b(?:give|giving|for|treat|help)\s+(?:to\s+)?(?:my|our|him|her|them|(?:a|"
                r"the)(?! (?:\w+ )?(?:days?|weeks?|months?|"
                r"nights?|while|bit|time|few|couple|moment)))\b",
                sentence.group(),
                re.IGNORECASE,
            )
            if (
                gives is None
                and "self" in kinds
                and re.search(r"\bfor (?:me|myself)\b", sentence.group(), re.IGNORECASE)
            ):
                return "self"  # "Does her pregnancy rule out X for me?"
            others = kinds - {"self"}
            if inside and set(inside) == {"self"} and len(others) == 1 and not _OF_SELF.search(self._plain):
                return others.pop()  # "My 1-year-old has a fever; can I use ...?": the asker only asks
            young = next((who for _, who in self._persons if re.fullmatch(_CHILD, who)), None)
            if (
                set(inside) == {"self"}
                and young is not None
                and re.search(r"\bgive\b", sentence.group(), re.IGNORECASE)
            ):
                return young  # "My baby ..., the aunt says ... How much do I give?"
            if inside:
                return inside[-1] if gives else inside[0]
        cared_for = [who for _, who in self._persons if who != "self"]
        if cared_for and _CARER.search(self._plain):
            return cared_for[0]
        if "self" in kinds and "?" not in self._plain[-3:] and _OF_SELF.search(self._plain):
            return "self"
        if "self" in kinds and (_HERE.search(self._plain)):
            return "self"  # "I'm 57 and long past it", "... I myself have no illness": who tells of himself is treated
        if re.fullmatch(_CHILD, self._persons[0][1]) and not _OWN_STATE.search(self._plain):
            return self._persons[0][1]  # the question begins with a child and asks something in general
        return "self" if "self" in kinds else self._persons[0][1]

    def _meant(self, pronoun: re.Match[str], last: str) -> str:
        """The relative a pronoun stands for: the last one named whom it fits."""
        kind = pronoun.lastgroup
        others = _FEMALE if kind == "he" else _MALE if kind == "she" else None
        if self._persons and self._persons[0][1] == "patient" and kind != "they":
            return "patient"
        if others is None or not others.fullmatch(last):
            return last
        fitting = [who for _, who in self._persons if who != "self" and not others.fullmatch(who)]
        return fitting[-1] if fitting else last

    def _is_adult(self, match: re.Match[str]) -> bool:
        """Whether an age is that of an adult, and no relative's."""
        years = re.match(r"(\d+)[- ]?y", match["old"], re.IGNORECASE)
        kin = re.match(rf"[\s-]*(?:[\w-]+\s+)?{_KIN}\b", self._plain[match.end() :], re.IGNORECASE)
        return years is not None and int(years[1]) >= 18 and kin is None

    def _is_history(self, at: int) -> bool:
        """Whether the only person named is a parent whose illness is told after the asker's own ("..., mum had X")."""
        told = re.match(
            r"(?:my |her |his )?(?:mother|father|mum|mom|dad|parents?|grand\w+|aunt|uncle|sister|brother) "
            r"(?:had|has|died|got|suffered)\b",
            self._plain[at:],
            re.IGNORECASE,
        )
        return told is not None and len(re.findall(r"[a-z]+", self._plain[:at].lower())) >= 3

    def is_patient(self, at: int) -> bool:
        """Whether what stands at *at* is said of the patient."""
        return self.who(at) == self.patient

    def who(self, at: int) -> str:
        """The person that what stands at *at* is said of."""
        opening = clause_start(self._plain, at)
        inside = [who for place, who in self._persons if opening <= place <= at]
        if inside:
            return inside[-1]
        after = [who for place, who in self._persons if at < place <= at + 60 and place < clause_close(self._plain, at)]
        if after:
            return after[0]
        before = [who for place, who in self._persons if place < opening]
        return before[-1] if before and before[-1] != "self" and self.patient != "self" else self.patient
