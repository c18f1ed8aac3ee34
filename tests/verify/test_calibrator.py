"""The regression behind the calibrated verdict, against scikit-learn's."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fas.verify.calibrator import Calibrator
from fas.verify.passage_features import FEATURES


@pytest.fixture(scope="module")
def fitted():
    linear_model = pytest.importorskip("sklearn.linear_model")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    rng = np.random.default_rng(5)
    x = rng.normal(size=(300, len(FEATURES))) * 3 + 1
    y = (x[:, 0] > 1).astype(int) + (x[:, 1] > 2).astype(int)
    scaler = preprocessing.StandardScaler().fit(x)
    model = linear_model.LogisticRegression(max_iter=500).fit(scaler.transform(x), y)
    balanced = linear_model.LogisticRegression(max_iter=500, class_weight="balanced").fit(scaler.transform(x), y)
    return x, scaler, model, balanced


def stored(folder, scaler, model, balanced, *, power=1.5, **changes):
    path = folder / "calibrator.json"
    data = {
        "features": list(FEATURES),
        "mean": scaler.mean_.tolist(),
        "scale": scaler.scale_.tolist(),
        "coefficients": model.coef_.tolist(),
        "intercept": model.intercept_.tolist(),
        "balanced": {
            "coefficients": balanced.coef_.tolist(),
            "intercept": balanced.intercept_.tolist(),
            "power": power,
        },
    }
    path.write_text(json.dumps({**data, **changes}))
    return path


def test_support_is_that_of_the_first_regression_and_contradiction_a_power_of_the_balanced_one(tmp_path, fitted):
    x, scaler, model, balanced = fitted
    found = np.array(Calibrator.read(stored(tmp_path, scaler, model, balanced)).predict(x.tolist()))
    support = model.predict_proba(scaler.transform(x))[:, 0]
    contradict = balanced.predict_proba(scaler.transform(x))[:, 2] ** 1.5
    fits = support + contradict <= 1
    assert fits.sum() > 100
    np.testing.assert_allclose(found[fits][:, [0, 2]], np.stack([support, contradict], axis=1)[fits], atol=1e-12)


def test_where_both_sides_make_more_than_one_the_smaller_gives_way(tmp_path, fitted):
    x, scaler, model, balanced = fitted
    found = np.array(Calibrator.read(stored(tmp_path, scaler, model, balanced, power=0.1)).predict(x.tolist()))
    support = model.predict_proba(scaler.transform(x))[:, 0]
    contradict = balanced.predict_proba(scaler.transform(x))[:, 2] ** 0.1
    crowded = (support + contradict > 1) & (contradict > support)
    assert crowded.any()
    np.testing.assert_allclose(found[crowded, 2], contradict[crowded], atol=1e-12)
    np.testing.assert_allclose(found[crowded, 0], 1 - contradict[crowded], atol=1e-12)


def test_probabilities_sum_to_one_even_for_extreme_features(tmp_path, fitted):
    _, *parts = fitted
    rows = [[value] * len(FEATURES) for value in (-1e6, -1.0, 0.0, 1e6)]
    for row in Calibrator.read(stored(tmp_path, *parts)).predict(rows):
        assert sum(row) == pytest.approx(1.0)
        assert all(0.0 <= value <= 1.0 for value in row)


def test_a_row_is_predicted_the_same_alone_and_in_any_batch(tmp_path, fitted):
    x, *parts = fitted
    calibrator = Calibrator.read(stored(tmp_path, *parts))
    together = calibrator.predict(x.tolist())
    assert [calibrator.predict([row])[0] for row in x.tolist()] == together
    assert calibrator.predict(x[::-1].tolist()) == together[::-1]


def test_what_is_not_known_counts_as_it_is_on_average(tmp_path, fitted):
    x, *parts = fitted
    calibrator = Calibrator.read(stored(tmp_path, *parts))
    unknown, average = x[0].copy(), x[0].copy()
    unknown[3], average[3] = float("nan"), calibrator.mean[3]
    assert calibrator.predict([unknown.tolist()]) == calibrator.predict([average.tolist()])


def test_no_rows_give_no_probabilities(tmp_path, fitted):
    _, *parts = fitted
    assert Calibrator.read(stored(tmp_path, *parts)).predict([]) == []


def test_a_file_made_for_other_features_is_refused(tmp_path, fitted):
    _, *parts = fitted
    path = stored(tmp_path, *parts, features=["cosine", "moon_phase"])
    with pytest.raises(
        ValueError, match=r"calibrator\.json: features \['cosine', 'moon_phase'\] are not \['log_p_entail', "
    ):
        Calibrator.read(path)
