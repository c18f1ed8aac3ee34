"""The report in headless Chromium: filters, keyboard, escaping, contrast, speed, and silence on the network."""

from __future__ import annotations

from dataclasses import replace

import pytest
from report_data import make_records, make_report, write_records

from fas.report.html import write_html

pytestmark = pytest.mark.browser

N = 210
HOSTILE = (
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> "
    "&amp; \u2028 \U0001f600"
)
PAIR_AND_HALF = "\U0001f600 Metformin helps. \ud800 end"


@pytest.fixture(scope="module")
def records():
    found = make_records(N)
    found[0] |= {"question": HOSTILE, "prediction": HOSTILE, "claims": [], "flags": []}
    found[0]["meta"] = {"type": "list", "model": "<b>model-a</b>"}
    start = PAIR_AND_HALF.index("Metformin")
    end = start + len("Metformin helps.")
    claim = found[1]["claims"][0] | {"text": HOSTILE, "start": start, "end": end, "label": "supported"}
    empty = dict.fromkeys(("id", "title", "year", "sentence", "p_support", "p_contradict"))
    judged = {"p_support": 0.9, "p_contradict": 0.01}
    claim["evidence"] = [
        judged | {"id": "12345678", "title": HOSTILE, "year": 2020, "sentence": HOSTILE},
        empty | {"id": "javascript:alert(1)"},
        empty | judged | {"id": "12345678901", "sentence": "s", "status": "retracted"},
    ]
    found[1] |= {"prediction": PAIR_AND_HALF, "claims": [claim], "flags": []}
    return found


@pytest.fixture(scope="module")
def report_path(tmp_path_factory, records):
    folder = tmp_path_factory.mktemp("run")
    path = folder / "report.html"
    write_html(path, from_pubmed(make_report(records, notes=(HOSTILE,))), write_records(folder, records))
    return path


def from_pubmed(report):
    """The report of a run whose evidence was searched in PubMed."""
    signature = report.signature.replace("evidence:passages[k=5]", "evidence:entrez[all,k=5,q1]")
    assert signature != report.signature
    return replace(report, signature=signature)


@pytest.fixture
def report(page, report_path):
    page.size(1280, 900)
    page.scheme("light")
    page.open(report_path)
    return page


def choose(page, control, value):
    page.run(
        f"(() => {{ const c = document.querySelector({control!r}); c.value = {value!r};"
        "c.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )


def shown_ids(page):
    choose(page, "#size", "all")
    return page.run("[...document.querySelectorAll('.answer')].map(a => a.dataset.id)")


def test_nothing_is_requested_and_nothing_is_logged(report, report_path):
    choose(report, "#size", "all")
    report.run("document.getElementById('toggle').click()")
    assert report.requests() == ["about:blank", report_path.as_uri()] or report.requests() == [report_path.as_uri()]
    assert report.errors() == []


def test_text_of_an_answer_never_becomes_markup(report):
    assert "Fact-Aligned Score report" in report.run("document.title")
    assert report.run("document.querySelectorAll('img, .answer script, .notes script, main b b').length") == 0
    assert report.run("document.querySelector('.answer .prediction').textContent") == HOSTILE
    assert report.run("document.querySelector('.answer .question').textContent") == HOSTILE
    assert HOSTILE in report.run("document.querySelector('.notes li').textContent")


def test_search_finds_words_in_any_order_and_place(report, records):
    report.run(
        "(() => { const s = document.getElementById('search'); s.value = 'GOUT warfarin';"
        "s.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    report.run("new Promise(done => setTimeout(done, 300))")

    def text(r):
        parts = [r["id"], r["question"] or "", r["prediction"], *(c["text"] for c in r["claims"])]
        parts += [e.get(k) or "" for c in r["claims"] for e in c["evidence"] for k in ("id", "title", "sentence")]
        parts += [f[k] or "" for f in r["flags"] for k in ("code", "drug", "message")]
        return "\n".join(parts).lower()

    expected = [r["id"] for r in records if "gout" in text(r) and "warfarin" in text(r)]
    assert 0 < len(expected) < N
    assert shown_ids(report) == expected


def test_keyboard_alone_reaches_a_claims_evidence(report):
    report.press("/", code=191, text="/")
    assert report.run("document.activeElement.id") == "search"
    report.run("document.querySelectorAll('.answer')[1].querySelector('mark a').focus()")
    report.press("Enter", code=13, text="\r")
    assert report.run("document.activeElement.tagName") == "SUMMARY"
    assert report.run("document.activeElement.parentElement.open") is True
    report.press("Enter", code=13, text="\r")
    assert report.run("document.activeElement.parentElement.open") is False


def test_every_control_has_a_name(report):
    choose(report, "#size", "20")
    report.call("Accessibility.enable")
    nodes = report.call("Accessibility.getFullAXTree")["nodes"]
    roles = ("button", "combobox", "searchbox", "link", "textbox", "image", "region")
    nameless = [
        node["role"]["value"]
        for node in nodes
        if not node.get("ignored") and node["role"]["value"] in roles and not node["name"]["value"].strip()
    ]
    assert nameless == []


# Contrast of every visible piece of text with what is behind it, by the formula of WCAG 2.2.
CONTRAST = """
(() => {
  const linear = (x) => (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const behind = (node) => {
    for (let n = node; n; n = n.parentElement) {
      const colour = parse(getComputedStyle(n).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const bad = new Set();
  for (const node of document.querySelectorAll('body *')) {
    if (![...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim())) continue;
    if (node.closest('svg, script, style, noscript') || node.disabled || !node.getClientRects().length) continue;
    const [a, b] = [light(parse(getComputedStyle(node).color)), light(behind(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.add(`${node.tagName}.${node.className} ${ratio.toFixed(2)}`);
  }
  return [...bad];
})()
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_has_the_contrast_of_wcag_aa(report, scheme):
    report.scheme(scheme)
    choose(report, "#size", "all")
    report.run("document.getElementById('toggle').click()")
    report.run("document.querySelectorAll('.answer').forEach(a => { a.style.contentVisibility = 'visible'; })")
    assert report.run(CONTRAST) == []


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_page_is_never_wider_than_the_window(report, width):
    report.size(width, 800)
    choose(report, "#size", "100")
    report.run("document.getElementById('toggle').click()")
    assert report.run("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [1366, 1920])
def test_the_table_of_metrics_is_whole_on_a_wide_window(report, width):
    report.size(width, 900)
    table = "document.querySelector('[aria-label=\"Table of metrics\"]')"
    assert report.run(f"{table}.scrollWidth <= {table}.clientWidth")
