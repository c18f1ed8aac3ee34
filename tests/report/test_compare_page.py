"""The page of a comparison: marks, the sentence, answers that moved, and claims beside each other."""

from __future__ import annotations

import re

import pytest
from report_data import make_records, write_records

from fas.cli import main
from fas.core.errors import InputError
from fas.report.compare_page import write_comparison
from fas.report.systems import compare_systems

FEW = {"n_resamples": 2000, "metrics": ["fas", "contra@5", "rouge1"]}


def claim(text, label, p_support):
    passage = {"id": "p1", "title": "Trial", "year": 2020, "sentence": f"About: {text}", "p_support": p_support}
    return {
        "text": text, "start": 0, "end": len(text), "label": label, "conflicting": False, "p_support": p_support,
        "p_contradict": 0.1, "evidence": [passage | {"p_contradict": 0.1}],
    }  # fmt: skip


@pytest.fixture
def folders(tmp_path):
    """Runs over the same answers: `good` a little above `twin`, far above `poor`; in q0002 one claim changes sides."""
    names = {"good": 0.0, "twin": -0.001, "poor": -0.4}
    for name, shift in names.items():
        records = make_records(60, seed=3)
        for record in records:
            if record["fas"] is not None:
                wobble = 0.002 if name == "twin" and int(record["id"][1:]) % 2 else 0.0
                record["fas"] += shift + wobble
        records[1]["claims"] = [
            claim("Aspirin thins blood.", "supported" if name == "good" else "contradicted", 0.9),
            claim(f"Only {name} says so <b>.", "unsupported", 0.2),
        ]
        records[1]["fas"] = {"good": 0.99, "twin": 0.98, "poor": 0.01}[name]
        write_records(tmp_path / name, records)
    (tmp_path / "good" / "report.html").write_text("")
    return [tmp_path / name for name in names]


@pytest.fixture
def path(folders, tmp_path):
    return write_comparison(compare_systems(folders, pairs="all", **FEW), tmp_path / "page.html")


def row(page, metric):
    return re.search(rf'<tr><th scope="row"><span class="mono">{metric}</span>.*?</tr>', page, re.DOTALL)[0]


def test_the_best_mean_is_bold_and_what_no_test_tells_from_it_is_marked(path):
    cells = re.findall(r"<td.*?</td>", row(path.read_text(), "fas"), re.DOTALL)
    assert ["<b>" in cell for cell in cells] == [True, False, False]
    assert ["≈" in cell for cell in cells] == [False, True, False]


def test_a_lower_share_of_contradicted_claims_is_better(folders, tmp_path):
    lower = make_records(60, seed=3)
    for record in lower:
        if record["fas"] is not None:
            record["contra"] /= 2
    folder = tmp_path / "lower"
    write_records(folder, lower)
    page = write_comparison(compare_systems([folders[0], folder], **FEW), tmp_path / "p.html").read_text()
    cells = re.findall(r"<td.*?</td>", row(page, "contra@5"), re.DOTALL)
    assert ["<b>" in cell for cell in cells] == [False, True]


def test_the_sentence_names_who_is_ahead_and_of_whom_that_is_sure(folders, path):
    found = compare_systems(folders, pairs="all", **FEW)
    sentence = re.search(r'<p class="result">(.*?)</p>', path.read_text(), re.DOTALL)[1]
    assert sentence.startswith(f"good has the highest mean fas, {found.means['fas']['good'].mean:.3f}.")
    assert "differs from poor" in sentence
    assert "does not tell it apart from twin" in sentence


def test_answers_come_by_how_far_the_systems_lie_apart(path):
    page = path.read_text()
    table = page[page.index('aria-label="Table of answers that moved most"') :]
    table = table[: table.index("</table>")]
    spread = [float(text) for text in re.findall(r'<td class="num">([0-9.]+)</td></tr>', table)]
    assert len(spread) == 20
    assert spread == sorted(spread, reverse=True)
    assert spread[0] == pytest.approx(0.98)
    assert re.search(r'<a href="#m1">(.*?)</a>', table)[1] == "q0002"


def test_claims_of_several_systems_share_a_row_and_others_stand_alone(path):
    first = path.read_text().split('<details class="moved" id="m1">')[1].split('<details class="moved"')[0]
    assert first.index("Aspirin thins blood.") < first.index("Claims of one system alone")
    shared = first[first.index('class="across differs"') : first.index("Claims of one system alone")]
    assert re.findall(r'badge (\w+)"', shared) == ["supported", "contradicted", "contradicted"]
    assert "About: Aspirin thins blood." in shared
    assert 'href="good/report.html#claim=q0002:1"' in shared
    assert "Only twin says so &lt;b&gt;." in first


def test_systems_of_one_run_are_joined_by_their_question(tmp_path):
    records = make_records(60, seed=3)
    write_records(tmp_path / "run", records)
    out = tmp_path / "by.html"
    assert (
        main(["results", "compare", str(tmp_path / "run"), "--by", "model", "-o", str(out), "--n-resamples", "300"])
        == 0
    )
    page = out.read_text()
    assert "comparison by model" in page
    assert page.count('<details class="moved"') == len(re.findall(r'<tr><th scope="row"><a href="#m\d+">', page)) > 0


def test_scores_are_not_written_over(folders):
    with pytest.raises(InputError, match=r"scores\.jsonl"):
        write_comparison(compare_systems(folders, **FEW), folders[0] / "scores.jsonl")


@pytest.mark.browser
def test_a_value_opens_the_claims_behind_it(page, path):
    page.size(1366, 900)
    page.show(path)
    assert page.run("document.querySelector('#m1').open") is False
    page.run("document.querySelector('a[href=\"#m1-2\"]').click()")
    assert page.run("new Promise((done) => setTimeout(() => done(document.querySelector('#m1').open), 300))") is True
    assert page.run("document.querySelector(':target').id") == "m1-2"
    assert page.errors() == []


@pytest.mark.browser
@pytest.mark.parametrize("width", [1366, 380])
def test_the_page_fits_the_window(page, path, width):
    page.size(width, 900)
    page.show(path)
    page.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.run("document.documentElement.scrollWidth") <= width
