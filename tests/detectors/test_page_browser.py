"""The page of findings in headless Chromium: marks, who said what, filters, escaping, a phone's width, no request."""

from __future__ import annotations

import pytest
from findings_made import finding, write_findings

from fas.cli import main

pytestmark = pytest.mark.browser

HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> &amp; \u2028"
TEXT = "\U0001f600 Aspirin thins the blood. It cures every cold. Rest may help."
COLD, REST = ((TEXT.index(part), TEXT.index(part) + len(part)) for part in ("It cures every cold.", "Rest may help."))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two members and their combination over 60 answers, through the commands."""
    made = tmp_path_factory.mktemp("page")

    def at(span, text, confidence, **more):
        return finding(text, at=span, snippet=TEXT[slice(*span)], confidence=confidence, **more)

    first = {f"a{i}": [at(COLD, "No cold is cured by aspirin.", 0.9, harm="high")] if i % 2 else [] for i in range(60)}
    first["a0"] = [at(COLD, HOSTILE, 0.9, harm="high"), at(REST, "The guidelines say more.", 0.4, harm="low")]
    first["a2"] = "the server was dead"
    second = {
        f"a{i}": [at(COLD, "A cold is not cured by aspirin.", 0.5, harm="low")] if i % 3 == 0 else [] for i in range(60)
    }
    second["a2"] = "the server was dead, too"
    one = write_findings(made / "one", first, text=TEXT)
    two = write_findings(made / "two", second, text=TEXT)
    out = made / "all"
    assert (
        main(["detect", "combine", str(one), str(two), "-o", str(out), "--threshold", "0.4", "--rules", "prenatal"])
        == 0
    )
    return out


@pytest.fixture
def report(page, folder):
    page.size(1280, 900)
    page.scheme("light")
    page.open(folder / "report.html")
    return page


def choose(page, control, value):
    page.run(
        f"(() => {{ const c = document.querySelector({control!r}); c.value = {value!r};"
        "c.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )


def count(page):
    return int(page.run("document.getElementById('status').textContent").split()[0])


def test_nothing_is_requested_and_nothing_is_logged(report, folder):
    assert set(report.requests()) <= {"about:blank", (folder / "report.html").as_uri()}
    assert report.errors() == []


def test_text_never_becomes_markup(report):
    assert report.run("document.title") == "Findings · all"
    assert report.run("document.querySelectorAll('img, .answer script').length") == 0
    assert HOSTILE in report.run("document.querySelector('.answer .finding').textContent")


def test_who_said_what_appears_on_a_click_and_by_the_keyboard(report):
    answer = "document.querySelectorAll('.answer')[3]"
    assert report.run(f"{answer}.querySelector('.finding').open") is False
    report.run(f"{answer}.querySelector('mark').click()")
    shown = report.run(f"{answer}.querySelector('.finding[open]').innerText")
    for words in ("one", "two", "confidence 0.90", "confidence 0.50", "A cold is not cured by aspirin.", "2 members"):
        assert words in shown
    report.run(f"{answer}.querySelector('mark').click()")
    assert report.run(f"{answer}.querySelector('.finding').open") is False
    report.run(f"{answer}.querySelector('mark').focus()")
    report.press("Enter", code=13, text="\r")
    assert report.run(f"{answer}.querySelector('.finding').open") is True


def test_filters_by_member_harm_score_and_text(report):
    assert count(report) == 60
    choose(report, "#which", "found")
    found = count(report)
    choose(report, "#member", "0")
    assert report.run("document.querySelector('#member').selectedOptions[0].textContent") == "one"
    assert count(report) < found
    choose(report, "#member", "-1")
    choose(report, "#harm", "4")
    # Of two levels the upper one is the cluster's, so what the first member found is high.
    assert count(report) == 31
    choose(report, "#harm", "-1")
    choose(report, "#least", "0.6")
    assert count(report) == 10
    choose(report, "#least", "0")
    choose(report, "#which", "failed")
    assert count(report) == 1
    assert "every member abstains" in report.run("document.querySelector('.answer').textContent")
    choose(report, "#which", "all")
    report.run("document.querySelector('#search').value = 'a17'")
    choose(report, "#search", "a17")
    assert count(report) == 1


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_its_width(page, folder, width, scheme):
    page.size(width, 900)
    page.scheme(scheme)
    page.open(folder / "report.html")
    assert page.run("document.documentElement.scrollWidth") <= width
    members = page.run("document.querySelector('aside').getBoundingClientRect().left")
    answers = page.run("document.querySelector('#answers').getBoundingClientRect().right")
    assert (members >= answers) if width > 960 else (members < 100)
