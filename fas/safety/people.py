"""Who a question speaks of where, and who of them is the patient."""

from __future__ import annotations

import re

from fas.safety.facts import clause_close, clause_start
from fas.text.reading.pattern_tables import load_patterns

PEOPLE = load_patterns(__file__)
_KIN = PEOPLE.part("KIN")


_CHILD = r"(?:son|daughter|child|kid|baby|infant|toddler|newborn|boy|girl|little one|grandson|granddaughter)"


class People:
    """Who is spoken of where, and who the patient is."""

    def __init__(self, plain: str) -> None:
        self._plain = plain
        self._persons: list[tuple[int, str]] = []
        last_kin = ""
        ends = -10
        for match in PEOPLE.person.finditer(plain):
            kind = match.lastgroup
            if kind in ("self", "chart"):  # a clinician's "52F" is the patient
                self._persons.append((match.start(), "self"))
            elif kind == "kin":
                if re.search(r"\bit(?:'s|\u2019s| is| was) $", plain[: match.start()], re.IGNORECASE):
                    continue  # "it's a girl!"
                if last_kin and PEOPLE.stage.search(plain[max(0, match.start() - 12) : match.end()]):
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
            elif last_kin and not (
                kind == "they" and self._persons[-1][1] == "self" and not PEOPLE.plural.search(last_kin)
            ):
                # After the asker has spoken of himself, "them" means things, not one relative.
                self._persons.append((match.start(), self._meant(match, last_kin)))
        self.patient = self._find_patient()

    def _find_patient(self) -> str:
        kinds = {who for _, who in self._persons} - {"stranger"}
        if len(self._persons) == 1 and self._is_history(self._persons[0][0]):
            return "self"
        if len(kinds) <= 1:
            return next(iter(kinds), "self")
        if self._persons[0][1] == "patient":
            return "patient"  # "72-year-old patient with ... I'm a new nurse, how do I ...?": who asks is not ill
        written_for = PEOPLE.written_for.search(self._plain)
        if written_for is not None and (whom := written_for["who"].lower()) in kinds:
            return whom
        asking = list(re.finditer(r"[^.?!]*\?", self._plain)) or list(re.finditer(r"[^.!]+$", self._plain))
        for sentence in asking:
            match = PEOPLE.asks_for.search(sentence.group())
            if match is None and PEOPLE.own_state.search(self._plain):
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
            if inside and set(inside) == {"self"} and len(others) == 1 and not PEOPLE.of_self.search(self._plain):
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
        if cared_for and PEOPLE.carer.search(self._plain):
            return cared_for[0]
        if "self" in kinds and "?" not in self._plain[-3:] and PEOPLE.of_self.search(self._plain):
            return "self"
        if "self" in kinds and (PEOPLE.here.search(self._plain)):
            return "self"  # "I'm 57 and long past it", "... I myself have no illness": who tells of himself is treated
        if re.fullmatch(_CHILD, self._persons[0][1]) and not PEOPLE.own_state.search(self._plain):
            return self._persons[0][1]  # the question begins with a child and asks something in general
        return "self" if "self" in kinds else self._persons[0][1]

    def _meant(self, pronoun: re.Match[str], last: str) -> str:
        """The relative a pronoun stands for: the last one named whom it fits."""
        kind = pronoun.lastgroup
        others = PEOPLE.female if kind == "he" else PEOPLE.male if kind == "she" else None
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
