"""The combination against its members, rules and settings, from the folders that members.py made.

python -m benchmarks.detectors.measure -o runs/detectors

Writes results.json and the results of README.md. No model is asked but the embedded encoder, for explanations.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.detectors.members import MEMBERS
from benchmarks.tables import filled, write

from fas.detectors.combine_folders import Combination, combine
from fas.detectors.evaluate import EvaluationOptions, EvaluationTable, answer_table, sentence_table
from fas.detectors.folder import measure_rules
from fas.detectors.gold import Material, load_material, read_gold
from fas.detectors.member import find_places, read_member
from fas.detectors.rules import RuleSet, load_rules
from fas.detectors.detection_text import ablation_dict, table_dict
from fas.report.tables import interval, number, p_value, signed

HERE = Path(__file__).parent
SIMILARITIES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
JACCARD, LEVENSHTEIN = (0.3, 0.5, 0.7), (0.6, 0.8, 0.9)
STORED = HERE / "results.json"


def main() -> None:
    """Measure, and write both files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--out", type=Path, default=HERE.parents[1] / "runs" / "detectors")
    parser.add_argument("--n-resamples", type=int, default=10_000)
    options = parser.parse_args()
    settings = EvaluationOptions(n_resamples=options.n_resamples)
    found: dict[str, Any] = {}
    for name in MEMBERS:
        folder = options.out / name
        folders = [folder / member for member, *_ in MEMBERS[name]]
        sources = find_places([*folders, f"{folders[0]}#flags"])
        material, _ = load_material(sources, read_gold(folder / "gold.jsonl"))
        found[name] = {"n": len(material.ids), "questions": len(set(material.questions))}
        for explain in (False, True):
            members = [read_member(place, explain=explain) for place in sources]
            found[name]["explained" if explain else "claims"] = measure(members, material, settings)
    STORED.write_text(json.dumps(found, ensure_ascii=False) + "\n", encoding="utf-8")
    write(pages())


def pages() -> dict[Path, str]:
    """The page with the tables of the stored results."""
    return filled(HERE / "README.md", {"results": shown(json.loads(STORED.read_text(encoding="utf-8")))})


def measure(members: Sequence[Any], material: Material, settings: EvaluationOptions) -> dict[str, Any]:
    """All tables of one way to explain claims."""
    whole = combine(members, name="combination")
    rows = [*members, whole.member]
    found: dict[str, Any] = {
        "signature": whole.signature,
        "notes": list(whole.notes),
        "answers": with_combination(table_dict(answer_table(rows, material, settings))),
        "sentences": with_combination(table_dict(sentence_table(rows, material, settings))),
        "rules": {},
    }
    for name in ("mental-health", "prenatal"):
        with_rules = combine(members, rules=name, name="combination")
        table = ablation_dict(measure_rules(with_rules, material, settings))
        found["rules"][name] = {**table, "pairs": [pair for pair in table["pairs"] if pair["a"] == "no rule"]}
    found["without"] = {
        one.name: swept(combine([other for other in members if other is not one], name="c"), material, settings)
        for one in members
    }
    # Sweeps show how much a setting matters; none is chosen by them.
    found["similarity"] = {
        f"{least:.1f}": swept(combine(members, min_similarity=least, name="c"), material, settings)
        for least in SIMILARITIES
    }
    found["resemblance"] = {
        f"{jaccard:.1f}/{levenshtein:.1f}": resembling(members, jaccard, levenshtein, material, settings)
        for jaccard, levenshtein in zip(JACCARD, LEVENSHTEIN, strict=True)
    }
    found["family"] = swept(combine(members, weights="family", name="c"), material, settings)
    return found


def with_combination(table: dict[str, Any]) -> dict[str, Any]:
    """The table with the tests that the combination takes part in; `fas detect eval` shows all of them."""
    return {**table, "pairs": [pair for pair in table["pairs"] if "combination" in (pair["a"], pair["b"])]}


def swept(combination: Combination, material: Material, settings: EvaluationOptions) -> dict[str, Any]:
    """F1 of a combination on both levels, and what its notes count."""
    quick = replace(settings, n_resamples=min(settings.n_resamples, 2000))
    tables: dict[str, Callable[..., EvaluationTable]] = {"answers": answer_table, "sentences": sentence_table}
    made = {level: table([combination.member], material, quick) for level, table in tables.items()}
    f1 = {level: table.rows[0].measures["f1"].mean for level, table in made.items()}
    lines = combination.member.answers.values()
    return {**f1, "clusters": sum(len(line.findings) for line in lines), "notes": list(combination.notes)}


def resembling(
    members: Sequence[Any], jaccard: float, levenshtein: float, material: Material, settings: EvaluationOptions
) -> dict[str, Any]:
    """The two rules of resemblance together, with other thresholds."""
    rules = load_rules("mental-health")
    least = {"resembles-jaccard": jaccard, "resembles-levenshtein": levenshtein}
    chosen = tuple(replace(rule, threshold=least[rule.name]) for rule in rules.rules if rule.name in least)
    own = RuleSet("resembles", 1, chosen, tuple(least))
    combination = combine(members, rules=own, name="c")
    deleted = sum(len(line.deleted) for line in combination.member.answers.values())
    return {**swept(combination, material, settings), "deleted": deleted}


def shown(found: dict[str, Any]) -> str:
    """The results as Markdown."""
    titles = {
        "bioasq": "BioASQ's experts, with the right snippets",
        "kqa": "K-QA's physicians, with snippets of other questions",
    }
    return "\n\n".join(f"### {title}\n\n{one_set(found[name])}" for name, title in titles.items()) + "\n"


def one_set(found: dict[str, Any]) -> str:
    own, explained = found["claims"], found["explained"]
    parts = [
        f"{found['n']} answers to {found['questions']} questions. Brackets: 95% interval, questions resampled.",
        f"`{own['signature']}`",
    ]
    for level in ("answers", "sentences"):
        parts += [f"**{level.capitalize()}**: {own[level]['positives']} with a false statement.", rows(own[level])]
    parts += [
        "**The combination less its best member**, the best one picked on these same answers.",
        against_best({"claim alone": own, "with evidence (`--explain`)": explained}),
        "\n".join(f"- {note}" for note in own["notes"]),
        "**Without** one of the members, F1 of the combination.",
        sweep(own["without"]),
        "**Rules**, F1 of answers, the claim alone as explanation; every row's threshold is chosen anew.",
        rules_table(own["rules"]),
        "**Rules**, with `--explain`.",
        rules_table(explained["rules"]),
        "**Least similarity** of explanations, F1; a sweep over these same answers, nothing is chosen by it.",
        sweep(own["similarity"]),
        "**Thresholds of the two resemblances** (Jaccard/Levenshtein), F1, with `--explain`; likewise.",
        sweep(explained["resemblance"]),
        f"Weights by family instead of by run: F1 {number(own['family']['answers'])} of answers, "
        f"{number(own['family']['sentences'])} of sentences.",
    ]
    return "\n\n".join(parts)


def rows(table: dict[str, Any]) -> str:
    lines = ["| row | F1 | precision | recall | flagged | hits |", "|:---|---:|---:|---:|---:|---:|"]
    for name, row in table["rows"].items():
        cells = [f"{nan(row[m]['mean'])} {span(row[m]['low'], row[m]['high'])}" for m in ("f1", "precision", "recall")]
        lines.append(f"| {name} | {' | '.join(cells)} | {row['flagged']} | {row['hits']} |")
    return "\n".join(lines)


def against_best(ways: dict[str, dict[str, Any]]) -> str:
    """The combination less the best row of a single member, picked on these same answers."""
    lines = ["| explanation | level | best row of one member | combination less it | p | Holm |"]
    lines += ["|:---|:---|:---|---:|---:|---:|"]
    for way, own in ways.items():
        for level in ("answers", "sentences"):
            table = own[level]
            single = [name for name in table["rows"] if not name.startswith(("combination", "flag"))]
            best = max(single, key=lambda name: table["rows"][name]["f1"]["mean"])
            (pair,) = [p for p in table["pairs"] if {p["a"], p["b"]} == {best, "combination"}]
            turn = 1 if pair["a"] == "combination" else -1
            low, high = sorted((turn * pair["low"], turn * pair["high"]))
            difference = f"{signed(turn * pair['difference'])} {interval(low, high, form='signed')}"
            cells = [way, level, best, difference, p_value(pair["p"]), p_value(pair["p_holm"])]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def rules_table(sets: dict[str, Any]) -> str:
    lines = ["| rules | findings deleted | F1 | less no rule | p |", "|:---|---:|---:|---:|---:|"]
    for name, table in sets.items():
        tests = {pair["b"]: pair for pair in table["pairs"] if pair["a"] == "no rule"}
        for row_name, row in table["rows"].items():
            if row_name == "flag everything" or (row_name != "no rule" and not table["deleted"][row_name]):
                continue
            test, f1 = tests.get(row_name), row["f1"]
            less = (
                ""
                if test is None
                else f"{signed(0.0 - test['difference'])} {interval(0.0 - test['high'], 0.0 - test['low'], form='signed')}"
            )
            p = "" if test is None else p_value(test["p"])
            lines.append(f"| {name}: {row_name} | {table['deleted'][row_name]} | {nan(f1['mean'])} | {less} | {p} |")
    silent = sorted({name for table in sets.values() for name, n in table["deleted"].items() if not n} - {"no rule"})
    return "\n".join([*lines, "", f"Rules that delete nothing here: {', '.join(silent)}."])


def sweep(values: dict[str, Any]) -> str:
    head = ["answers", "sentences", "clusters", *(["deleted"] if "deleted" in next(iter(values.values())) else [])]
    lines = [f"| | {' | '.join(head)} |", "|:---|" + "---:|" * len(head)]
    for name, one in values.items():
        cells = [nan(one[key]) if key in ("answers", "sentences") else str(one[key]) for key in head]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def nan(value: float | None) -> str:
    return "-" if value is None else number(value)


def span(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else interval(low, high)


if __name__ == "__main__":
    main()
