"""CRAFT's ClearNLP-style trees as UD trees, by rule; sentences that no rule settles are refused.

The schemes differ in who governs: UD puts the noun above its preposition, the predicate above its copula, and every
conjunct under the first. About a third of the sentences hold something the rules leave open (a preposition without an
object, a remnant labelled ``dep``) and are not converted: the treebank is large enough to be choosy.
"""

from dataclasses import replace

from recipes.parser.treebanks import Sentence

SAME = {"nsubj", "csubj", "det", "amod", "compound", "advmod", "nummod", "appos", "acl", "advcl", "ccomp", "xcomp", "mark",
        "conj", "cc", "aux", "expl", "parataxis", "ROOT", "case"}  # fmt: skip
RENAMED = {
    "nsubjpass": "nsubj:pass", "csubjpass": "csubj:pass", "dobj": "obj", "auxpass": "aux:pass", "neg": "advmod",
    "poss": "nmod:poss", "prt": "compound:prt", "relcl": "acl:relcl", "predet": "det:predet", "preconj": "cc:preconj",
    "quantmod": "advmod", "oprd": "xcomp", "acomp": "xcomp", "attr": "xcomp", "intj": "discourse", "dative": "iobj",
}  # fmt: skip
VERBAL = ("VB", "MD")


def to_ud(sentence: Sentence) -> Sentence | None:
    """The UD tree of a ClearNLP tree, or None where the rules leave something open or the result is not a tree."""
    heads, deps = list(sentence.heads), list(sentence.deps)
    tags, lemmas = sentence.tags, sentence.lemmas
    n = len(heads)
    unsure: set[int] = set()

    def children(i: int) -> list[int]:
        return [j for j in range(n) if heads[j] == i and j != i]

    def verbal(i: int) -> bool:
        return tags[i].startswith(VERBAL) or tags[i] in {"JJ", "JJR", "JJS", "RB", "RBR", "RBS"}

    # Coordination: UD hangs every conjunct on the first, and the conjunction on the conjunct that follows it.
    first = list(heads)
    for i in range(n):
        if deps[i] == "cc":
            after = [j for j in children(heads[i]) if deps[j] == "conj" and j > i]
            if after:
                first[i] = after[0]
    for i in range(n):
        if deps[i] == "conj":
            top = heads[i]
            while deps[top] == "conj" and heads[top] != top:
                top = heads[top]
            first[i] = top
    heads = first

    # Copula: the predicate governs, the verb hangs on it.
    oblique: set[int] = set()
    moved: set[int] = set()
    for v in range(n):
        if lemmas[v] != "be" or deps[v] in {"aux", "auxpass"}:
            continue
        below = children(v)
        if any(deps[j] == "expl" and lemmas[j] == "there" for j in below):
            for j in below:
                if deps[j] == "attr":
                    deps[j] = "nsubj"
            continue
        predicates = [j for j in below if deps[j] in {"attr", "acomp"}]
        if len(predicates) != 1:
            if all(deps[j] != "ccomp" for j in below):
                unsure.update((*below, v))
            continue
        p = predicates[0]
        heads[p], deps[p] = (p, "ROOT") if heads[v] == v else (heads[v], deps[v])
        for j in below:
            if j != p:
                heads[j] = p
                if deps[j] in {"prep", "agent"}:
                    oblique.add(j)
        heads[v], deps[v] = p, "cop"

    # Prepositions: the noun governs, the preposition marks its case.
    objects: dict[int, int] = {}
    fixed: dict[int, int] = {}
    for p in range(n):
        if tags[p] in {"IN", "TO", "VBG", "RP", "VBN", "CC", "SYM"} or deps[p] in {"prep", "agent"}:
            inside = [j for j in children(p) if deps[j] in {"pobj", "pcomp"}]
            if len(inside) == 1 and deps[inside[0]] == "pcomp" and tags[inside[0]] in {"IN", "TO"}:
                # "due to", "because of": one fixed preposition with the second one's object
                second = [j for j in children(inside[0]) if deps[j] in {"pobj", "pcomp"}]
                if len(second) == 1:
                    heads[second[0]] = p
                    deps[inside[0]] = "fixed"
                    fixed[inside[0]] = p
                    inside = second
            if p not in fixed and len(inside) == 1 and deps[p] in {"prep", "agent", "dative", "conj", "pcomp"}:
                objects[p] = inside[0]
    for p, o in objects.items():
        up, clause = heads[p], deps[o] == "pcomp"
        if deps[p] == "conj":
            if up not in objects:
                unsure.add(p)
                continue
            heads[o], deps[o] = objects[up], "conj"
        elif up in objects or deps[p] == "pcomp":
            unsure.update((p, o))
        elif deps[p] == "agent":
            heads[o], deps[o] = up, "advcl" if clause else "obl:agent"
        else:
            on_verb = verbal(up) or p in oblique
            heads[o] = up
            deps[o] = ("advcl" if on_verb else "acl") if clause else ("obl" if on_verb else "nmod")
        for j in children(p):
            if j != o and j not in fixed:
                heads[j] = o
        moved.add(o)
        heads[p], deps[p] = o, "mark" if clause else "case"

    for i in range(n):
        dep = deps[i]
        if dep == "dep" and tags[i] == "WDT" and i < heads[i]:
            deps[i] = "nsubj"
        elif dep == "meta":
            deps[i] = "discourse"
        elif dep == "aux" and tags[i] == "TO":
            deps[i] = "mark"
        elif dep == "npadvmod":
            deps[i] = "compound" if i + 1 < n and tags[i + 1] == "HYPH" else "obl:unmarked"
        elif dep == "nmod" and i not in moved:
            deps[i] = "compound" if i < heads[i] else "nmod:desc"
        elif dep in RENAMED:
            deps[i] = RENAMED[dep]
        elif dep not in SAME and dep not in {"cop", "obl", "nmod", "obl:agent", "punct", "fixed"}:
            unsure.add(i)
    if unsure or not is_tree(heads) or deps.count("ROOT") != 1:
        return None
    return replace(sentence, heads=heads, deps=deps, lemmas=_clean_lemmas(sentence))


def is_tree(heads: list[int]) -> bool:
    """Whether exactly one word is its own head and every word reaches it."""
    for i in range(len(heads)):
        steps = 0
        while heads[i] != i:
            i, steps = heads[i], steps + 1
            if steps > len(heads):
                return False
    return sum(h == i for i, h in enumerate(heads)) == 1


def _clean_lemmas(s: Sentence) -> list[str]:
    """CRAFT's lemmas where they follow EWT's conventions, none elsewhere (it folds case, digits and number words)."""
    return [
        lemma
        if w.isalpha()
        and (w.islower() or (i == 0 and w[1:].islower()))
        and "#" not in lemma
        and not t.startswith("NNP")
        else ""
        for i, (w, lemma, t) in enumerate(zip(s.words, s.lemmas, s.tags, strict=True))
    ]
