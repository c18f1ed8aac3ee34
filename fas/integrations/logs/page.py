"""`audit.html`: one file that asks nothing of the network; text reaches it escaped, never as markup."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from fas.report.tables import interval, number, p_value, signed

if TYPE_CHECKING:
    from fas.integrations.logs.audit import Audit


def render_page(audit: Audit) -> str:
    """The page."""
    log = audit.log
    parts = [
        _section(
            "What the log says",
            "Means over answers that have a number. Intervals (95%) take each question as one unit. A judgement that "
            "failed is in no mean; as stored: the mean of what the log has in its place.",
            _table(
                ["score", "mean", "95% interval", "as stored", "answers", "questions", "failed", "missing", "judge"],
                [
                    [
                        one.name + (f" ({one.system})" if one.system else ""),
                        number(one.mean.mean),
                        interval(one.mean.low, one.mean.high, how=one.mean.how),
                        number(one.stored),
                        *(one.mean.n, one.n_units, one.n_failed, one.n_missing),
                        ", ".join(f"{judge} ({n})" for judge, n in one.judges.items()) or "-",
                    ]
                    for one in audit.scores
                ],
            ),
        )
    ]
    failures = [[one.name, n, why] for one in audit.scores for why, n in one.failures.items()]
    if failures:
        parts.append(_section("Judgements that failed", "", _table(["score", "n", "why"], failures)))
    if audit.differences:
        parts.append(
            _section(
                "Systems compared",
                "Differences over the questions that both answered, by paired tests; Holm's correction for all.",
                _table(
                    ["score", "A", "B", "A - B", "95% interval", "p", "p (Holm)", "questions"],
                    [
                        [
                            one["name"], one["a"], one["b"], signed(one["difference"]),
                            interval(one["low"], one["high"], form="signed", how=one["how"]),
                            p_value(one["p"]), p_value(one["p_holm"]), one["n"],
                        ]
                        for one in audit.differences
                    ],
                ),
            )
        )  # fmt: skip
    style = (files("fas.report") / "page.css").read_text(encoding="utf-8")
    notes = Markup("").join(Markup("<li>{}</li>").format(note) for note in audit.notes)
    return Markup(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>Audit of a log</title>\n'
        '<style>{style}</style>\n</head>\n<body>\n<div class="top">\n'
        '<h1><span class="what">Audit of {logs}</span></h1>\n'
        '<p class="sub">{form}: {n} answers to {units} questions</p>\n<div class="notes"><ul>{notes}</ul></div>\n'
        "</div>\n<main>\n{parts}\n</main>\n</body>\n</html>\n"
    ).format(
        style=Markup(style),
        logs=", ".join(path.name for path in log.paths),
        form=log.form,
        n=len(log.answers),
        units=len({one.unit for one in log.answers}),
        notes=notes,
        parts=Markup("\n").join(parts),
    )


def _section(title: str, text: str, *content: Markup) -> Markup:
    said = Markup("<p>{}</p>\n").format(text) if text else ""
    return Markup("<section>\n<h2>{}</h2>\n{}{}\n</section>").format(title, said, Markup("\n").join(content))


def _table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> Markup:
    """A table; cells that begin with a digit, a sign or a bracket are numbers."""

    def cell(value: Any, tag: str) -> Markup:
        text = str(value)
        kind = Markup(' class="num"') if text[:1] in "0123456789+-[" else ""
        return Markup("<{0}{1}>{2}</{0}>").format(Markup(tag), kind, text)

    head = Markup("").join(cell(name, "th") for name in header)
    body = Markup("").join(
        Markup("<tr>{}</tr>").format(Markup("").join(cell(one, "td") for one in row)) for row in rows
    )
    return Markup(
        '<div class="scroll" tabindex="0"><table class="compact"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>'
        "</div>"
    ).format(head, body)
