r"""One table, four ways to read it: Markdown, CSV, LaTeX and (in `fas.bench.tables`) a plot.

A cell is a text, a number, or an `Estimate`: a value with its interval and the number of values behind it. Markdown and
LaTeX round; CSV keeps every digit and has columns of its own for the limits.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal, TypeAlias, cast

from fas.core.records.shown import html_table
from fas.report.tables import kinds_text
from fas.stats.bootstrap import Estimate
from fas.stats.intervals import explain_missing

Form = Literal["text", "count", "number", "signed", "percent", "p"]
Cell: TypeAlias = str | int | float | Estimate
IntervalForm = Literal["brackets", "plus-minus"]
NONE = "–"
NO_ESTIMATE = Estimate(math.nan, math.nan, math.nan, 0)


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column.

    Attributes:
        name: Its header.
        form: How its cells are written: `number` with three decimals, `signed` with the sign,
            `percent`, `p` as a p value; `text` and `count` as they are.
    """

    name: str
    form: Form = "number"


def parse_columns(text: str) -> tuple[TableColumn, ...]:
    """Columns by form: `FORM: NAME | NAME; FORM: NAME`.

    >>> parse_columns("text: metric; p: p | p (Holm)")[1:]
    (TableColumn(name='p', form='p'), TableColumn(name='p (Holm)', form='p'))
    """
    parts = [part.partition(": ") for part in text.split("; ")]
    return tuple(TableColumn(name, cast(Form, form)) for form, _, names in parts for name in names.split(" | "))


def estimate_of(found: Any, value: float | None = None) -> Estimate:
    """*value* (by default the difference that was *found*) with the interval that *found* has."""
    n = found.n if hasattr(found, "n") else found.n_questions
    return Estimate(found.difference if value is None else value, found.low, found.high, n, found.how)


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table of results.

    Attributes:
        rows: The cells, one per column; NaN where a value is undefined.
        notes: What a reader must know, in sentences.
        plot: `panels` draws a panel per column of estimates, `sweep` a line over the first
            column, `none` nothing.
        signature: What pins the numbers, the number of answers included; empty where nothing does.
    """

    name: str
    title: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    plot: Literal["panels", "sweep", "none"] = "panels"
    level: float = 0.95
    signature: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"table {self.name!r}: a row has {len(row)} cells for {len(self.columns)} columns")

    def _repr_html_(self) -> str:
        rows = [[show(cell, one.form) for cell, one in zip(row, self.columns, strict=True)] for row in self.rows]
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return f"<p><b>{escape(self.title)}</b></p>{html_table((one.name for one in self.columns), rows)}{notes}"

    def estimates(self) -> tuple[int, ...]:
        """Positions of the columns whose cells are estimates."""
        return tuple(i for i in range(len(self.columns)) if any(isinstance(row[i], Estimate) for row in self.rows))


def to_markdown(table: ResultTable, *, heading: str = "##", intervals: IntervalForm = "brackets") -> str:
    """The table with its title and notes; `value [low, high]` or `value ± distance` in the cells with an interval.

    >>> columns = (TableColumn("a", "text"), TableColumn("b"))
    >>> print(to_markdown(ResultTable("t", "T", columns, (("x", Estimate(0.5, 0.4, 0.6, 9)),))))
    ## T
    <BLANKLINE>
    | a | b |
    |:---|---:|
    | x | 0.500 [0.400, 0.600] |
    <BLANKLINE>
    Brackets: 95% interval.
    """

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(" ".join(escape_markdown(cell).split()).replace("|", "\\|") for cell in cells) + " |"

    align = "".join("|:---" if column.form == "text" else "|---:" for column in table.columns) + "|"
    lines = [f"{heading} {escape_markdown(table.title)}", "", line([column.name for column in table.columns]), align]
    for row in table.rows:
        cells = [show(cell, column.form, intervals) for cell, column in zip(row, table.columns, strict=True)]
        lines.append(line(cells))
    for note in _notes(table, intervals):
        lines += ["", escape_markdown(note)]
    if table.signature:
        lines += ["", f"`{table.signature}`"]
    return "\n".join(lines)


def escape_markdown(text: str) -> str:
    """*text* without HTML of its own: what would begin a tag, a comment or an address in angle brackets is escaped.

    >>> escape_markdown("p <0.001 <script>x</script>")
    'p <0.001 &lt;script>x&lt;/script>'
    """
    return re.sub(r"<(?=[a-zA-Z/!?])", "&lt;", text)


def to_csv(table: ResultTable) -> str:
    """The table as CSV, unrounded; an estimate `x` fills the columns x, x_low, x_high and x_n.

    What is undefined is an empty cell. A text that a spreadsheet would take for a formula has an apostrophe before it.
    """
    wide = set(table.estimates())
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    header: list[str] = []
    for i, column in enumerate(table.columns):
        header += [column.name, *(f"{column.name}_{part}" for part in ("low", "high", "n") if i in wide)]
    writer.writerow(map(_show_plain, header))
    for row in table.rows:
        cells: list[str | float] = []
        for i, cell in enumerate(row):
            cells += cell[:4] if isinstance(cell, Estimate) else [cell, *[""] * (3 * (i in wide))]
        writer.writerow(map(_show_plain, cells))
    return out.getvalue()


def to_latex(table: ResultTable, *, intervals: IntervalForm = "brackets") -> str:
    r"""A `table` environment for the packages booktabs, graphicx and siunitx; all text is escaped.

    Numbers stand in `S` columns, aligned at their points, with the interval of an estimate in a column behind them.
    The caption has the signature. Letters beyond Latin need a Unicode engine or `inputenc`; Greek ones of the headers
    are written as mathematics.
    """
    wide = set(table.estimates())
    align, header = "", []
    for i, column in enumerate(table.columns):
        name = escape_latex(column.name + (" (%)" if column.form == "percent" else ""))
        if column.form == "text":
            align += "l"
            header.append(name)
        else:
            align += _number_column([row[i] for row in table.rows], column.form) + (r"@{\,}l" if i in wide else "")
            header.append(rf"\multicolumn{{2}}{{c}}{{{name}}}" if i in wide else f"{{{name}}}")
    caption = escape_latex(table.title) + "."
    if table.signature:
        breakable = re.sub(r"(\\textbar\{\}|,)", r"\1\\allowbreak{}", escape_latex(table.signature))
        caption += rf" \texttt{{{breakable}}}"
    lines = [
        r"% \usepackage{booktabs,graphicx,siunitx}",
        r"\begin{table}[t]",
        r"\centering",
        rf"\caption{{{caption}}}",
        rf"\label{{tab:{re.sub('[^a-z0-9]+', '-', table.name.lower())}}}",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{align}}}",
        r"\toprule",
        rf"{' & '.join(header)} \\",
        r"\midrule",
    ]
    for row in table.rows:
        cells = [
            escape_latex(str(cell)) if column.form == "text" else _number_cell(cell, column.form, intervals, i in wide)
            for i, (cell, column) in enumerate(zip(row, table.columns, strict=True))
        ]
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}}"]
    lines += [rf"\par\smallskip\footnotesize {escape_latex(note)}" for note in _notes(table, intervals)]
    return "\n".join([*lines, r"\end{table}", ""])


def _number_column(cells: Sequence[Cell], form: Form) -> str:
    """A column of siunitx that is as wide as the numbers in it."""
    values = [cell.value if isinstance(cell, Estimate) else cell for cell in cells]
    texts = [
        _number(value, form).rstrip("%") for value in values if not isinstance(value, str) and math.isfinite(value)
    ]
    numbers = [text for text in texts if not text.startswith("<")]
    whole = max((len(text.lstrip("+-").partition(".")[0]) for text in numbers), default=1)
    decimals = max((len(text.partition(".")[2]) for text in numbers), default=0)
    sign = "+" if any(text[0] in "+-" for text in numbers) else ""
    keep = ",retain-explicit-plus" if sign else ""
    return f"S[table-format={sign}{whole}.{decimals}{keep}]"


def _number_cell(cell: Cell, form: Form, intervals: IntervalForm, wide: bool) -> str:
    """A number for an `S` column, or other text in braces; then, where the column is *wide*, its interval."""
    value = cell.value if isinstance(cell, Estimate) else cell
    text = value if isinstance(value, str) else _number(value, form).rstrip("%")
    own = text if re.fullmatch(r"[+-]?[0-9.]+", text) else f"{{{escape_latex(text)}}}"
    if not wide:
        return own
    beside = _interval(cell, form, intervals).replace("%", "") if isinstance(cell, Estimate) else ""
    return f"{own} & {escape_latex(re.sub(r'-(?=[0-9])', '−', beside))}"


_LATEX = {character: f"\\{character}" for character in "&%$#_{}"}
_LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", '"': "''"}
_LATEX |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
_LATEX |= {"[": "{[}", "]": "{]}"}  # after a line break a bracket would begin an optional argument
_LATEX |= {"–": "--", "−": "$-$", "±": r"$\pm$", "≥": r"$\geq$", "≤": r"$\leq$", "ρ": r"$\rho$", "τ": r"$\tau$"}
_LATEX |= {"Δ": r"$\Delta$"}


def escape_latex(text: str) -> str:
    r"""*text* so that LaTeX prints it as it stands, on one line.

    >>> escape_latex("50% of a_b & [c]")
    '50\\% of a\\_b \\& {[}c{]}'
    """
    return "".join(_LATEX.get(character, character) for character in " ".join(text.split()))


def show(cell: Cell, form: Form, intervals: IntervalForm = "brackets") -> str:
    """A cell as people read it; a dash where it is undefined.

    >>> show(Estimate(0.5, float("nan"), float("nan"), 1), "number"), show(float("nan"), "number")
    ('0.500 [–]', '–')
    >>> show(Estimate(0.5, 0.4, 0.7, 9), "number", "plus-minus")
    '0.500 ± 0.200'
    """
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Estimate):
        return f"{_number(cell.value, form)} {_interval(cell, form, intervals)}".rstrip()
    return _number(cell, form)


def _interval(cell: Estimate, form: Form, intervals: IntervalForm) -> str:
    """The interval of an estimate, why it has none, or nothing where it has no value."""
    if math.isnan(cell.value):
        return ""
    if math.isnan(cell.low) or math.isnan(cell.high):
        return f"[{explain_missing(cell.how) or NONE}]"
    if intervals == "plus-minus":
        distance = max(cell.value - cell.low, cell.high - cell.value)
        return f"± {_number(distance, 'number' if form == 'signed' else form)}"
    return f"[{_number(cell.low, form)}, {_number(cell.high, form)}]"


def _number(value: float, form: Form) -> str:
    if math.isnan(value):
        return NONE
    if form == "p":
        return "<0.001" if value < 0.001 else f"{value:.3f}"
    if form == "percent":
        return f"{100 * value:.1f}%"
    if form == "count":
        return f"{value:g}"
    return f"{value:+.3f}" if form == "signed" else f"{value:.3f}"


def _notes(table: ResultTable, intervals: IntervalForm) -> list[str]:
    estimates = [cell for row in table.rows for cell in row if isinstance(cell, Estimate)]
    has_missing = any(math.isnan(cell.low) and not math.isnan(cell.value) for cell in estimates)
    if not estimates:
        return list(table.notes)
    about, kinds = f"{100 * table.level:g}% interval", kinds_text(cell.how for cell in estimates)
    shown = f"Brackets: {about}"
    if intervals == "plus-minus":
        shown = f"±: the larger distance from the value to an end of its {about}"
    end = "; what stands in brackets in its place says why there is none." if has_missing else "."
    return [*table.notes, f"{shown} ({kinds}){end}" if kinds else f"{shown}{end}"]


def _show_plain(cell: str | float) -> str:
    """A number unrounded, or a text that a spreadsheet shows and does not compute.

    >>> _show_plain("=HYPERLINK(1)"), _show_plain("a=b"), _show_plain(-0.5)
    ("'=HYPERLINK(1)", 'a=b', '-0.5')
    """
    if isinstance(cell, float):
        return "" if math.isnan(cell) else repr(float(cell))
    live = isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    # The writer puts no carriage return in quotes, and the text after it would begin a row.
    text = str(cell).replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if live else text
