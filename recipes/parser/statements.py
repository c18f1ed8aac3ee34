"""Synthetic training data: short statements about drugs and bodies, put together with their trees, such as "Olaparib prolongs survival".

Treebanks of web text and of articles about mice hold few of them, and a parser that has not met the name reads the
verb as a noun ("prolongs survival" as a compound), so that the whole statement is lost. The words are
ours; the trees follow UD English EWT. Every fifth verb and every fifth subject is kept for measuring.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from recipes.parser.treebanks import Sentence

VERBS = (
    "prolong lower raise treat prevent relieve ease widen narrow block slow speed strengthen weaken thin thicken shorten "
    "lengthen extend delay harm help control stabilize deplete boost cut trigger worsen improve reduce increase decrease "
    "cause kill fight cure soothe calm soften loosen dry numb shrink open close relax stimulate suppress inhibit activate "
    "protect damage irritate support restore replace limit double halve mimic target bind clear remove dissolve neutralize "
    "regulate maintain promote affect influence alter disrupt impair enhance counter lessen quiet heal repair flush drain "
    "absorb release produce carry contain require change shift start stop end spread mask reveal measure track supply feed"
).split()
NOUNS = (
    "survival cholesterol blood anemia glucose pain inflammation nausea sleep mood appetite swelling cough fever anxiety "
    "depression constipation acid stress fatigue bleeding clotting digestion immunity weight growth breathing vision memory "
    "hearing circulation infection dehydration itching insomnia diarrhea reflux hunger thirst fertility bone muscle skin"
).split()
PLURALS = (
    "clots bones vessels airways seizures cramps headaches symptoms relapses fractures arteries hormones bacteria cells levels "
    "nerves spasms migraines kidneys lungs muscles joints ulcers stones hives attacks infections wrinkles tumors platelets"
).split()
ADJECTIVES = (
    "high low chronic acute severe mild overall harmful viral bacterial nasal gastric arterial chemical muscular fatal rapid "
    "early heavy healthy red white new"
).split()
COMPOUNDS = (
    "blood pressure|blood sugar|heart rate|fat absorption|bone loss|blood flow|stomach acid|liver damage|hair growth|sex drive|"
    "joint pain|muscle tone|tumor growth|stroke risk|fluid retention|insulin sensitivity|cancer risk|immune response"
).split("|")
THINGS = (
    "drug medicine medication tablet vaccine treatment therapy diet vitamin mineral hormone antibiotic cream spray injection "
    "supplement enzyme virus diuretic statin laxative antihistamine steroid inhaler patch"
).split()
MASSES = "alcohol caffeine fiber exercise smoking iron zinc calcium magnesium water honey ginger yoga insulin lithium sodium".split()
PEOPLE = "adults children women men patients people infants athletes smokers".split()
ADVERBS = "also usually often significantly slightly directly quickly safely mainly greatly sometimes".split()
# Verb, what it may have as object, and what may follow.
ADVICE = (
    ("take", "drug", "with food|with water|at night|before meals|after meals|before breakfast"),
    ("use", "drug", "at night|before meals|with care"),
    ("try", "drug", "at night|with food"),
    ("avoid", "alcohol caffeine smoking salt sugar smoke stress sunlight dehydration", "at night|before meals"),
    ("drink", "water tea milk juice fluid coffee", "with meals|before breakfast|after exercise"),
    ("eat", "fruit fish fiber soup yogurt protein", "with meals|at night"),
    ("limit", "alcohol caffeine salt sugar", "at night"),
    ("apply", "ice heat pressure cream lotion", "at night|after exercise"),
    ("stop", "drug", "before surgery"),
)
VITAMINS = "A C D E K B12 B6".split()


class _Tree:
    """Tokens with heads by position; a phrase gives the position of its head."""

    def __init__(self) -> None:
        self.rows: list[list[object]] = []

    def add(self, word: str, tag: str, lemma: str, dep: str, head: int = -1) -> int:
        self.rows.append([word, tag, lemma, dep, head])
        return len(self.rows) - 1

    def under(self, head: int, *places: int) -> None:
        for place in places:
            self.rows[place][4] = head

    def sentence(self) -> Sentence:
        words = [str(row[0]) for row in self.rows]
        words[0] = words[0][0].upper() + words[0][1:]
        spaces = [True] * len(words)
        for place, word in enumerate(words):
            if word in (".", ",") and place:
                spaces[place - 1] = False
        heads = [int(str(row[4])) if int(str(row[4])) >= 0 else place for place, row in enumerate(self.rows)]
        return Sentence(
            words, spaces, [str(r[1]) for r in self.rows], [str(r[2]) for r in self.rows], heads, [str(r[3]) for r in self.rows],
            doc="made statements",
        )  # fmt: skip


def drug_names() -> list[str]:
    """Names of one word of the project's ingredients."""
    table = Path(__file__).resolve().parents[2] / "safety/rules/ingredients.tsv"
    names = [line.split("\t")[0] for line in table.read_text(encoding="utf-8").splitlines()[1:]]
    return [name for name in names if name.isascii() and name.isalpha() and len(name) > 4]


def third(verb: str) -> str:
    """The third person of *verb*."""
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")


def _noun_phrase(tree: _Tree, rng: random.Random, dep: str) -> int:
    """An object: a noun, with an adjective, a compound or an article now and then."""
    kind = rng.random()
    if kind < 0.2:
        first, second = rng.choice(COMPOUNDS).split()
        left = tree.add(first, "JJ" if first == "immune" else "NN", first, "amod" if first == "immune" else "compound")
        head = tree.add(second, "NN", second, dep)
        tree.under(head, left)
        return head
    before = []
    plural = rng.random() < 0.4
    if rng.random() < 0.2:
        before.append(tree.add("the", "DT", "the", "det"))
    if rng.random() < 0.25:
        adjective = rng.choice(ADJECTIVES)
        before.append(tree.add(adjective, "JJ", adjective, "amod"))
    word = rng.choice(PLURALS if plural else NOUNS)
    irregular = {"bacteria": "bacterium", "arteries": "artery", "hives": "hives"}
    head = tree.add(word, "NNS" if plural else "NN", irregular.get(word, word[:-1]) if plural else word, dep)
    tree.under(head, *before)
    return head


def _subject(tree: _Tree, rng: random.Random, names: list[str]) -> tuple[int, bool]:
    """A subject, and whether it is plural."""
    kind = rng.random()
    if kind < 0.55:
        name = rng.choice(names)
        return tree.add(name, "NN", name, "nsubj"), False
    if kind < 0.65:
        word = rng.choice(MASSES)
        return tree.add(word, "NN", word, "nsubj"), False
    if kind < 0.72:
        left = tree.add("vitamin", "NN", "vitamin", "compound")
        letter = rng.choice(VITAMINS)
        head = tree.add(letter, "NN", letter, "nsubj")
        tree.under(head, left)
        return head, False
    thing = rng.choice(THINGS)
    if kind < 0.86:
        article = rng.choice(("the", "this", "that", "a", "each"))
        left = tree.add(article, "DT", article, "det")
        head = tree.add(thing, "NN", thing, "nsubj")
        tree.under(head, left)
        return head, False
    plural = thing[:-1] + "ies" if thing.endswith("y") else thing + "s"
    before = []
    if rng.random() < 0.3:
        article = rng.choice(("these", "some", "many"))
        before.append(tree.add(article, "JJ" if article == "many" else "DT", "this" if article == "these" else article,
                               "amod" if article == "many" else "det"))  # fmt: skip
    head = tree.add(plural, "NNS", thing, "nsubj")
    tree.under(head, *before)
    return head, True


def advice(rng: random.Random, names: list[str]) -> Sentence:
    """One instruction, such as "Drink plenty of water" or "Take ibuprofen with food"."""
    tree = _Tree()
    verb, objects, more = rng.choice(ADVICE)
    before = [tree.add(word, "UH" if word == "please" else "RB", word, "discourse" if word == "please" else "advmod")
              for word in rng.choice(((), (), (), ("please",), ("also",)))]  # fmt: skip
    root = tree.add(verb, "VB", verb, "ROOT")
    tree.under(root, *before)
    tree.rows[root][4] = root
    if objects == "drug":
        name = rng.choice(names)
        tree.under(root, tree.add(name, "NN", name, "obj"))
    else:
        word = rng.choice(objects.split())
        if rng.random() < 0.25:
            plenty = tree.add("plenty", "NN", "plenty", "obj")
            case = tree.add("of", "IN", "of", "case")
            part = tree.add(word, "NN", word, "nmod")
            tree.under(part, case)
            tree.under(plenty, part)
            tree.under(root, plenty)
        else:
            tree.under(root, tree.add(word, "NN", word, "obj"))
    if more and rng.random() < 0.6:
        preposition, noun = rng.choice(more.split("|")).split()
        case = tree.add(preposition, "IN", preposition, "case")
        place = tree.add(noun, "NNS" if noun == "meals" else "NN", "meal" if noun == "meals" else noun, "obl")
        tree.under(place, case)
        tree.under(root, place)
    tree.under(root, tree.add(".", ".", ".", "punct"))
    return tree.sentence()


def make(rng: random.Random, names: list[str], verbs: list[str]) -> Sentence:
    """One statement, or now and then an instruction."""
    if rng.random() < 0.15:
        return advice(rng, names)
    tree = _Tree()
    subject, plural = _subject(tree, rng, names)
    before = [subject]
    verb = rng.choice(verbs)
    if rng.random() < 0.15:
        modal = rng.choice(("can", "may", "might"))
        before.append(tree.add(modal, "MD", modal, "aux"))
        word, tag = verb, "VB"
    else:
        word, tag = (verb, "VBP") if plural else (third(verb), "VBZ")
    if rng.random() < 0.2:
        adverb = rng.choice(ADVERBS)
        before.append(tree.add(adverb, "RB", adverb, "advmod"))
    root = tree.add(word, tag, verb, "ROOT")
    tree.under(root, *before)
    tree.rows[root][4] = root
    governor = root
    if rng.random() < 0.2:
        # "helps prevent", "may help to lower": the verb that counts hangs on "help".
        tree.rows[root][0] = {"VB": "help", "VBP": "help", "VBZ": "helps"}[tag]
        tree.rows[root][2] = "help"
        to = [tree.add("to", "TO", "to", "mark")] if rng.random() < 0.4 else []
        governor = tree.add(verb, "VB", verb, "xcomp", root)
        tree.under(governor, *to)
    target = _noun_phrase(tree, rng, "obj")
    tree.under(governor, target)
    if rng.random() < 0.2:
        joint = tree.add("and", "CC", "and", "cc")
        second = _noun_phrase(tree, rng, "conj")
        tree.under(second, joint)
        tree.under(target, second)
    if rng.random() < 0.3:
        case = tree.add("in", "IN", "in", "case")
        people = rng.choice(PEOPLE)
        lemma = {"children": "child", "women": "woman", "men": "man", "people": "person"}.get(people, people[:-1])
        group = tree.add(people, "NNS", lemma, "obl")
        tree.under(group, case)
        tree.under(governor, group)
        if rng.random() < 0.4:
            ill = tree.add("with", "IN", "with", "case")
            illness = _noun_phrase(tree, rng, "nmod")
            tree.under(illness, ill)
            tree.under(group, illness)
    stop = tree.add(".", ".", ".", "punct")
    tree.under(root, stop)
    return tree.sentence()


def statements(part: str, n: int, seed: int) -> list[Sentence]:
    """*n* statements for ``train`` or ``dev``; the two share no verb and no drug name."""
    kept = part == "dev"
    names = [name for place, name in enumerate(drug_names()) if (place % 5 == 4) == kept]
    verbs = [verb for place, verb in enumerate(VERBS) if (place % 5 == 4) == kept]
    return list(_many(random.Random(seed), names, verbs, n))


def _many(rng: random.Random, names: list[str], verbs: list[str], n: int) -> Iterator[Sentence]:
    for _ in range(n):
        yield make(rng, names, verbs)
