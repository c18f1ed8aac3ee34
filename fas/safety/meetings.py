"""Which rules two named drugs meet in, looked up by drug: a long list of drugs is not compared each with each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from itertools import islice

from fas.safety.case import Case
from fas.safety.matcher import Mention
from fas.safety.reading import Statement
from fas.safety.rules import Rule

# How often the same two drugs are looked at before it is taken that nothing more will be said of them.
_LOOKS = 200

_Names = tuple[str | None, str | None]  # as which drug of the rule, and as which partner
_Key = tuple[tuple[str, ...], str | None]


class Meetings:
    """Rules on two drugs, in one answer.

    Args:
        case: The answer.
        rules: Rules that have partners.
        seen: Leading ingredients of pairs that have their flag and need no further look; may grow.
    """

    def __init__(self, case: Case, rules: Sequence[Rule], seen: Set[frozenset[str]]) -> None:
        self._case, self._rules, self._seen = case, rules, seen
        self._by_ingredient = _index(rules)
        self._roles: dict[_Key, dict[int, _Names]] = {}
        self._met: dict[tuple[_Key, _Key], list[tuple[Rule, tuple[str, str]]]] = {}
        self._looks: Counter[frozenset[str]] = Counter()
        self._by_segment: dict[int, list[Statement]] = {}
        self._grouped: dict[int, dict[_Key, list[tuple[int, Statement]]]] = {}

    def rules_on(self, one: Mention, other: Mention) -> list[tuple[Rule, tuple[str, str]]]:
        """Rules on both, each with the names that it has for them; those on the leading ingredients first."""
        keys = _key(one), _key(other)
        if keys not in self._met:
            mine, theirs = self._roles_of(one), self._roles_of(other)
            found = []
            for number in sorted(mine.keys() & theirs.keys()):
                for left, right in ((0, 1), (1, 0)):
                    names = mine[number][left], theirs[number][right]
                    if names[0] and names[1] and names[0] != names[1]:
                        found.append((self._rules[number], (names[0], names[1])))
                        break
            leads = {one.lead, other.lead}
            self._met[keys] = sorted(found, key=lambda item: not leads >= set(item[1]))
        return self._met[keys]

    def look_at(self, one: Mention, other: Mention) -> bool:
        """Whether the two, another drug each, meet in a rule and need a look; it is counted."""
        pair = frozenset((one.lead, other.lead))
        if len(pair) == 1 or pair in self._seen or self._looks[pair] >= _LOOKS or not self.rules_on(one, other):
            return False
        self._looks[pair] += 1
        return True

    def by_drug(self, statements: Sequence[Statement]) -> dict[_Key, list[tuple[int, Statement]]]:
        """*statements* and their places, by what they name; kept for the list."""
        if id(statements) not in self._grouped:
            grouped: dict[_Key, list[tuple[int, Statement]]] = {}
            for place, statement in enumerate(statements):
                grouped.setdefault(_key(statement.mention), []).append((place, statement))
            self._grouped[id(statements)] = grouped
        return self._grouped[id(statements)]

    def met_by(self, mention: Mention, grouped: dict[_Key, list[tuple[int, Statement]]]) -> list[Statement]:
        """Statements on drugs that *mention* meets in a rule, in their order, at most so many for each drug."""
        found: list[tuple[int, Statement]] = []
        for several in grouped.values():
            pair = frozenset((mention.lead, several[0][1].mention.lead))
            if len(pair) == 1 or pair in self._seen or not self.rules_on(mention, several[0][1].mention):
                continue
            chosen = list(islice(several, max(0, _LOOKS - self._looks[pair])))
            self._looks[pair] += len(chosen)
            found += chosen
        return [statement for _, statement in sorted(found, key=lambda item: item[0])]

    def beside(self, statement: Statement) -> list[Statement]:
        """The other statements of the same sentence whose drugs *statement*'s drug meets in a rule."""
        if not self._by_segment:
            for other in self._case.reading.statements:
                self._by_segment.setdefault(other.segment, []).append(other)
        mention = statement.mention
        return [
            other
            for other in self._by_segment.get(statement.segment, ())
            if other.mention.lead != mention.lead
            and frozenset((mention.lead, other.mention.lead)) not in self._seen
            and self.rules_on(mention, other.mention)
        ]

    def _roles_of(self, mention: Mention) -> dict[int, _Names]:
        """Each rule that speaks of *mention*, by number, with the names that it has there."""
        key = _key(mention)
        if key in self._roles:
            return self._roles[key]
        roles: dict[int, _Names] = {}
        group = self._case.group(mention)
        if group is not None:
            # What is said of a class is held against a rule only if the rule covers every member.
            for number, rule in enumerate(self._rules):
                names = tuple(group.label if group.members <= side else None for side in (rule.drugs, rule.partners))
                if any(names):
                    roles[number] = names[0], names[1]
        else:
            for ingredient in mention.ingredients:
                for number, side in self._by_ingredient.get(ingredient, ()):
                    drug, partner = roles.get(number, (None, None))
                    roles[number] = (drug or ingredient, partner) if side == 0 else (drug, partner or ingredient)
        self._roles[key] = roles
        return roles


_Index = dict[str, list[tuple[int, int]]]
_indices: list[tuple[Sequence[Rule], _Index]] = []  # of the tables in use: making one takes longer than an answer
_TABLES = 4


def _index(rules: Sequence[Rule]) -> _Index:
    """In which rules each ingredient stands, and on which side."""
    for known, index in _indices:
        if known is rules:
            return index
    made: _Index = {}
    for number, rule in enumerate(rules):
        for side, names in enumerate((rule.drugs, rule.partners)):
            for name in names:
                made.setdefault(name, []).append((number, side))
    _indices.append((rules, made))
    del _indices[:-_TABLES]
    return made


def _key(mention: Mention) -> _Key:
    return mention.ingredients, mention.class_key
