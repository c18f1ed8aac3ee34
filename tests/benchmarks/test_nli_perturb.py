"""The rules that make hard NLI pairs, on sentences written for the purpose.

Each rule is checked against the sentence a reader would expect, and on sentences that it must
leave alone. The last tests run the whole module on the development data, where it is there.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from pathlib import Path
from types import SimpleNamespace

import pytest
from processor_time import at_most


@pytest.fixture(scope="module")
def nli(nli_script):
    modules = {name: nli_script(name) for name in ("abstracts", "claim_forms", "perturb", "perturb_rules")}
    return SimpleNamespace(forms=modules["claim_forms"], rules=modules["perturb_rules"], **modules)


@pytest.fixture
def rng() -> random.Random:
    return random.Random(7)


@pytest.mark.parametrize(
    ("sentence", "body"),
    [
        ("RESULTS: We found that aspirin lowers fever.", "aspirin lowers fever."),
        ("In conclusion, our results suggest that zinc shortens the common cold.", "zinc shortens the common cold."),
        ("CONCLUSIONS Long naps were associated with headache.", "Long naps were associated with headache."),
        ("These findings further demonstrate that exercise helps sleep.", "exercise helps sleep."),
        ("However, it has been shown that tea reduces iron uptake.", "tea reduces iron uptake."),
        ("Aspirin lowers fever in adults.", "Aspirin lowers fever in adults."),
    ],
)
def test_lead_ins_are_taken_off(nli, sentence: str, body: str) -> None:
    lead, rest = nli.forms.strip_lead(sentence)
    assert rest == body
    assert lead + rest == sentence


@pytest.mark.parametrize(
    ("body", "claim"),
    [
        ("pain fell more with ibuprofen (p < 0.01) than placebo.", "Pain fell more with ibuprofen than placebo."),
        ("Mortality fell by 12%, p = 0.03.", "Mortality fell by 12%."),
        ("The enzyme (EC 3.1) cleaves RNA [4, 5].", "The enzyme cleaves RNA."),
        ("mTOR inhibits autophagy(12).", "mTOR inhibits autophagy."),
    ],
)
def test_statistics_citations_and_asides_are_taken_out(nli, body: str, claim: str) -> None:
    assert nli.forms.tidy(body) == claim


def test_a_last_clause_is_dropped_on_request(nli) -> None:
    body = "Smoking raised the risk of stroke in both sexes, which agrees with earlier work."
    assert nli.forms.tidy(body, cut_tail=True) == "Smoking raised the risk of stroke in both sexes."
    assert "which" in nli.forms.tidy(body)


@pytest.mark.parametrize(
    "text",
    [
        "This was more frequent in women than in men.",
        "We measured blood pressure in all patients at baseline.",
        "Whether aspirin lowers mortality is still an open question.",
        "Patients were randomized to receive aspirin or matching placebo.",
        "Too short is bad.",
        "A sentence without any verb known to the list.",
    ],
)
def test_what_points_elsewhere_or_reports_the_design_is_no_claim(nli, text: str) -> None:
    assert not nli.forms.is_claim(text)


def test_a_plain_finding_is_a_claim(nli) -> None:
    assert nli.forms.is_claim("Aspirin was associated with fewer strokes in older women.")


@pytest.mark.parametrize(
    ("positive", "negative"),
    [
        ("Aspirin was effective in older men.", "Aspirin was not effective in older men."),
        ("Statins are associated with pain in adults.", "Statins are not associated with pain in adults."),
        ("Aspirin reduced the risk of stroke.", "Aspirin did not reduce the risk of stroke."),
        ("Aspirin significantly reduced strokes.", "Aspirin did not significantly reduce strokes."),
        ("The kinase inhibits cell growth in culture.", "The kinase does not inhibit cell growth in culture."),
        ("Loss of the gene can cause seizures.", "Loss of the gene cannot cause seizures."),
        ("Vaccination has been shown to protect infants.", "Vaccination has not been shown to protect infants."),
        ("Carriers had an excess of early strokes.", "Carriers did not have an excess of early strokes."),
    ],
)
def test_negation_goes_in(nli, rng: random.Random, positive: str, negative: str) -> None:
    assert nli.rules.negation_in(positive, rng) == negative


@pytest.mark.parametrize(
    "text",
    [
        "Aspirin may reduce the risk of stroke.",  # the denial of "may" is not a contradiction
        "Aspirin did not reduce the risk of stroke.",
        "Some patients were older than 80 years.",  # others may be, too
        "Half of the men were smokers at entry.",
        "Patients who were treated early recovered.",  # the verb is that of the relative clause
        "Mice have altered levels of plasma lipids.",  # verb or adjective?
        "Levels reduced by fasting return quickly.",  # a participle
    ],
)
def test_negation_stays_out_of_what_is_unclear(nli, rng: random.Random, text: str) -> None:
    assert nli.rules.negation_in(text, rng) is None


def test_nouns_are_not_taken_for_verbs(nli, rng: random.Random) -> None:
    text = "Nine controls and eight cases had headache."
    assert nli.rules.negation_in(text, rng) == "Nine controls and eight cases did not have headache."


@pytest.mark.parametrize(
    ("negative", "positive"),
    [
        ("Zinc did not shorten the cold.", "Zinc shortened the cold."),
        ("The drug does not induce apoptosis.", "The drug induces apoptosis."),
        ("The genes do not encode receptors.", "The genes encode receptors."),
        ("Age was not associated with relapse.", "Age was associated with relapse."),
        ("Zinc cannot prevent colds.", "Zinc can prevent colds."),
        ("There was no significant difference in pain.", "There was a significant difference in pain."),
        ("There was no association with age.", "There was an association with age."),
        ("There were no differences in pain.", "There were differences in pain."),
    ],
)
def test_negation_comes_out(nli, rng: random.Random, negative: str, positive: str) -> None:
    assert nli.rules.negation_out(negative, rng) == positive


@pytest.mark.parametrize(
    "text",
    [
        "Zinc did not help, and copper was not tested.",  # two negations
        "Zinc was not only safe but also cheap.",
        "Zinc shortened the cold.",
        "Zinc could not be found in the samples.",  # a modal
    ],
)
def test_negation_does_not_come_out_of_what_is_unclear(nli, rng: random.Random, text: str) -> None:
    assert nli.rules.negation_out(text, rng) is None


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Salt increased blood pressure in rats.", {"Salt decreased blood pressure in rats."}),
        ("Drug A was more effective than drug B.", {"Drug A was less effective than drug B."}),
        ("The gene is required for growth.", {"The gene is dispensable for growth."}),
        ("Increased dose was harmful.", {"Decreased dose was harmful.", "Increased dose was beneficial.",
                                         "Increased dose was protective."}),
        ("Diet led to an improvement of sleep.", {"Diet led to a deterioration of sleep."}),
    ],
)  # fmt: skip
def test_one_word_of_direction_is_turned(nli, text: str, options: set[str]) -> None:
    made = {nli.rules.direction(text, random.Random(seed)) for seed in range(40)}
    assert made == options


@pytest.mark.parametrize(
    "text",
    [
        "Salt did not increase blood pressure.",  # "did not decrease" would contradict nothing
        "Salt may have increased blood pressure.",
        "Pain of the lower back is common.",
        "Patients aged 60 years or older were included.",
    ],
)
def test_directions_stay_where_turning_would_not_contradict(nli, rng: random.Random, text: str) -> None:
    assert nli.rules.direction(text, rng) is None


def test_a_superlative_is_turned_but_not_one_of_several(nli, rng: random.Random) -> None:
    assert nli.rules.superlative("Rates were highest in spring.", rng) == "Rates were lowest in spring."
    assert nli.rules.superlative("It is one of the largest genes.", rng) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Patients received 50 mg of aspirin daily.", "dose"),
        ("Mortality was 12% in the older group.", "number"),
        ("The trial included 240 patients from Spain.", "number"),
        ("Median survival was 14 months.", "number"),
        ("After 12 weeks, pain was lower with zinc.", "number_unclear"),
        ("Aspirin 100 mg was better than placebo.", "number_unclear"),
    ],
)
def test_a_number_is_changed_clearly_and_its_kind_told(nli, text: str, kind: str) -> None:
    for seed in range(20):
        changed, told = nli.rules.number(text, random.Random(seed))
        assert told == kind
        old, new = ([float(t.rstrip("%,.")) for t in s.split() if t[0].isdigit()] for s in (text, changed))
        assert len(old) == len(new) == 1
        ratio = new[0] / old[0]
        assert ratio >= 1.5 or ratio <= 0.67
        assert "%" not in text or 0 < new[0] < 100


@pytest.mark.parametrize(
    "text",
    [
        "IL-6 was higher in type 2 diabetes.",
        "At least 50 mg of zinc is needed.",  # 40 mg less or more may agree with it
        "More than 30% of men smoked.",
        "The range was 20 to 30 mg of zinc.",
        "Trials in 15 000 children were found.",
    ],
)
def test_names_bounds_and_ranges_are_no_numbers_to_change(nli, rng: random.Random, text: str) -> None:
    assert nli.rules.number(text, rng) is None


def test_an_effect_ratio_is_put_on_the_other_side_of_one(nli) -> None:
    assert nli.rules.ratio("deaths fell (hazard ratio 0.50; 95% CI 0.4 to 0.6)") == (
        "hazard ratio 0.50",
        "hazard ratio 2.00",
    )
    assert nli.rules.ratio("odds ratio, 1.02") is None


@pytest.mark.parametrize(
    ("text", "same", "opposite"),
    [
        ("Pain was higher in men than in women.", "Pain was lower in women than in men.",
         "Pain was higher in women than in men."),
        ("Drug A was superior to placebo.", "Placebo was inferior to Drug A.", "Placebo was superior to Drug A."),
        ("Long naps were more harmful than short walks.", "Short walks were less harmful than long naps.",
         "Short walks were more harmful than long naps."),
    ],
)  # fmt: skip
def test_a_comparison_is_said_from_the_other_side(nli, text: str, same: str, opposite: str) -> None:
    assert nli.rules.comparison(text) == (same, opposite)


def test_a_comparison_with_something_unnamed_is_left_alone(nli) -> None:
    assert nli.rules.comparison("Pain was lower in men than that in controls.") is None
    assert nli.rules.comparison("Drug A was better than expected.") is None


def test_whom_something_is_more_to_is_not_what_it_is_compared_with(nli) -> None:
    assert nli.rules.comparison("Wine was more attractive to young men than old men.") is None


def test_populations_entities_and_outcomes_are_swapped_only_for_what_the_premise_does_not_name(nli) -> None:
    text = "Simvastatin reduced mortality in men."
    for seed in range(30):
        g = random.Random(seed)
        assert nli.rules.population(text, text, g) == ("men", "women")
        assert nli.rules.population(text, text + " Women did not benefit.", g) is None
        old, new = nli.rules.entity(text, text + " Atorvastatin did the same.", g)
        assert (old, new != "atorvastatin") == ("simvastatin", True)
        old, new = nli.rules.outcome(text, text, "Survival and relapse were recorded.", g)
        assert old == "mortality"
        assert new in ("survival", "relapse")


def test_groups_that_are_compared_are_not_swapped(nli, rng: random.Random) -> None:
    assert nli.rules.population("Men had higher pressure than rats.", "x", rng) is None
    assert nli.rules.population("The study included 40 women.", "x", rng) is None


def test_replacing_keeps_capitals_and_fits_the_article(nli) -> None:
    assert nli.rules.replace("Warfarin and warfarin users.", "warfarin", "apixaban") == "Apixaban and apixaban users."
    assert nli.rules.replace("A statin is a drug.", "statin", "ointment") == "An ointment is a drug."


@pytest.mark.parametrize(
    ("active", "passive"),
    [
        ("Aspirin reduced mortality in older men.", "Mortality in older men was reduced by aspirin."),
        ("The vaccine prevented severe infections.", "Severe infections were prevented by the vaccine."),
        ("TNF-alpha blocked growth of the cells.", "Growth of the cells was blocked by TNF-alpha."),
        ("IL-6 enhanced stress responses in mice.", "Stress responses in mice were enhanced by IL-6."),
    ],
)
def test_active_becomes_passive(nli, active: str, passive: str) -> None:
    assert nli.rules.passive(active) == passive


@pytest.mark.parametrize(
    "text",
    [
        "Aspirin reduced mortality by 20% in men.",
        "Aspirin did not reduce mortality in men.",
        "Aspirin reduced mortality and increased bleeding.",
        "The drug that reduced mortality was aspirin.",
    ],
)
def test_a_passive_that_would_read_badly_is_not_made(nli, text: str) -> None:
    assert nli.rules.passive(text) is None


def test_a_paraphrase_says_the_same_in_other_words(nli) -> None:
    text = "Smoking was associated with hypertension in individuals."
    made = {nli.rules.paraphrase(text, random.Random(seed)) for seed in range(60)}
    assert "Smoking was linked to hypertension in individuals." in made
    assert "Smoking was associated with high blood pressure in people." in made
    assert all(m.startswith("Smoking was ") and m != text for m in made)
    assert nli.rules.paraphrase("Tea is hot.", random.Random(0)) is None


def test_sentences_are_cut_at_ends_and_not_at_abbreviations(nli) -> None:
    text = "ABSTRACT.RESULTS: Dr. Roe gave 0.5 mg vs. Placebo. Pain fell. ABSTRACT.CONCLUSIONS: It works (Fig. 2)."
    assert nli.abstracts.sentences_of(text) == ["Dr. Roe gave 0.5 mg vs. Placebo.", "Pain fell.", "It works (Fig. 2)."]


def test_documents_are_split_by_their_id_and_unknown_splits_are_refused(nli, tmp_path: Path) -> None:
    shares = Counter(nli.abstracts.split_of(f"doc:{i}") for i in range(5000))
    assert 0.78 < shares["train"] / 5000 < 0.82
    assert 0.085 < shares["dev"] / 5000 < 0.115
    assert 0.085 < shares["test"] / 5000 < 0.115
    with pytest.raises(ValueError, match="no split 'all'; there are train, dev, test"):
        nli.abstracts.documents(tmp_path, "all")


@pytest.mark.slow
def test_the_test_split_is_balanced_repeatable_and_apart_from_training(nli, shared_data: Path) -> None:
    data = shared_data / "train"
    with at_most(120):
        items = nli.perturb.perturbed_with_kinds(data, split="test", seed=1)
    assert items == nli.perturb.perturbed_with_kinds(data, split="test", seed=1)
    assert items != nli.perturb.perturbed_with_kinds(data, split="test", seed=2)
    assert [i.pair for i in items] == nli.perturb.perturbed_pairs(data, split="test", seed=1)
    labels = Counter(item.pair.label for item in items)
    assert len(items) >= 1000
    assert 0.30 < labels[0] / len(items) < 0.37
    assert 0.30 < labels[1] / len(items) < 0.37
    assert 0.26 < labels[2] / len(items) < 0.32
    by_kind = defaultdict(set)
    for item in items:
        by_kind[item.kind].add(item.pair.label)
        assert item.pair.hypothesis.endswith(".")
        assert "  " not in item.pair.hypothesis
    assert by_kind["kept_change"] == {0}
    assert by_kind["direction"] == by_kind["negation_in"] == by_kind["number"] == {2}
    assert by_kind["population"] == by_kind["entity"] == by_kind["random_document"] == {1}
    assert by_kind["ratio"] == {0, 2}
    train = {document.id for document in nli.abstracts.documents(data, "train")}
    assert train.isdisjoint(document.id for document in nli.abstracts.documents(data, "test"))


@pytest.mark.slow
def test_the_wording_of_a_hypothesis_alone_says_little_about_its_label(nli, shared_data: Path) -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    sets = [nli.perturb.perturbed_pairs(shared_data / "train", split=s, seed=1) for s in ("dev", "test")]
    (x, y), (test_x, test_y) = (
        ([p.hypothesis for p in pairs if p.label < 3], [p.label for p in pairs if p.label < 3]) for pairs in sets
    )
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True).fit(x)
    model = LogisticRegression(max_iter=500).fit(words.transform(x), y)
    # Chance is 0.35; trained on the eight times larger train split this classifier reaches 0.43.
    assert model.score(words.transform(test_x), test_y) < 0.46
