"""Tables as LaTeX and Markdown: numbers, intervals, captions, and that LaTeX compiles what is written."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from fas.bench.formats import ResultTable, TableColumn, to_latex, to_markdown
from fas.stats.bootstrap import Estimate

NAN = float("nan")
TABLE = ResultTable(
    "t",
    "Hostile & 50% of_a #1 {x} ~ ^ \\ [b]",
    (
        TableColumn("system", "text"),
        TableColumn("score"),
        TableColumn("Δ", "signed"),
        TableColumn("rate", "percent"),
        TableColumn("p", "p"),
        TableColumn("n", "count"),
    ),
    (
        ("[first] a_b", Estimate(0.5, 0.4, 0.7, 9), Estimate(-0.25, -0.5, 0.125, 9), 0.125, 0.0001, 12),
        ("second", Estimate(0.25, NAN, NAN, 1, "none: too few (1)"), Estimate(NAN, NAN, NAN, 0), NAN, 0.5, 3),
    ),
    ("A note with 5% & more.",),
    signature="n:12|boot:10000[question,inverted]|seed:1",
)


def body(latex):
    rows = latex.split("\\midrule\n")[1].split("\\bottomrule")[0]
    return [[cell.strip() for cell in row.removesuffix(" \\\\").split(" & ")] for row in rows.strip().splitlines()]


def test_numbers_are_bare_in_columns_of_siunitx_and_intervals_beside_them():
    assert body(to_latex(TABLE)) == [
        ["{[}first{]} a\\_b", "0.500", "{[}0.400, 0.700{]}", "-0.250", "{[}$-$0.500, +0.125{]}", "12.5",
         "{\\textless{}0.001}", "12"],
        ["second", "0.250", "{[}too few (1){]}", "{--}", "", "{--}", "0.500", "3"],
    ]  # fmt: skip
    align = re.search(r"\\begin\{tabular\}\{(.*)\}\n", to_latex(TABLE))[1]
    formats = re.findall(r"S\[table-format=([^\],]*)", align)
    assert formats == ["1.3", "+1.3", "2.1", "1.3", "2.0"]


def test_plus_minus_is_the_larger_distance_to_an_end_of_the_interval():
    rows = body(to_latex(TABLE, intervals="plus-minus"))
    assert [rows[0][2], rows[0][4]] == ["$\\pm$ 0.200", "$\\pm$ 0.375"]
    assert "| 0.500 ± 0.200 | -0.250 ± 0.375 |" in to_markdown(TABLE, intervals="plus-minus")
    assert "larger distance" in to_markdown(TABLE, intervals="plus-minus")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex on this machine")
@pytest.mark.parametrize("intervals", ["brackets", "plus-minus"])
def test_latex_compiles_the_table_as_it_is(tmp_path, intervals):
    text = to_latex(TABLE, intervals=intervals)
    needed = text.splitlines()[0].removeprefix("% ")
    page = f"\\documentclass{{article}}\n{needed}\n\\begin{{document}}\n{text}\\end{{document}}\n"
    (tmp_path / "t.tex").write_text(page, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Error" not in done.stdout
