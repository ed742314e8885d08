"""What a study may ask for, and how it is told what it may not."""

from pathlib import Path
from typing import Any

import pytest

from csvor.study import MethodSpec, Spec, load_spec, preset, spec_from_dict
from csvor.study._methods import STUDY_METHODS
from csvor.study._plan import make_method_run

GOOD: dict[str, Any] = {"datasets": ["tae"], "levels": [0, 10], "methods": {"CSVOR": {}}}


def test_paper_is_the_whole_experiment() -> None:
    spec = preset("paper")
    assert spec.datasets == (
        *("contact_lenses", "squash_unstored", "tae", "newthyroid"),
        *("machine", "housing", "stock", "bank", "computer", "cal_housing"),
    )
    assert spec.levels == (0, 1, 5, 10, 15, 20)
    assert (spec.splits, spec.folds, spec.seed) == (None, 5, 0)
    names = [method.name for method in spec.methods]
    others = ["SVOREX", "SVORIM", "PINSVOR", "REDSVM", "POM", "KDLOR"]
    assert names == ["CSVOR", "CSVOR-auto", *others]
    for method in spec.methods:
        assert method == MethodSpec(method.name)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("CSVOR", 42),
        ("CSVOR-auto", 42),
        ("SVOREX", 7),
        ("SVORIM", 7),
        ("REDSVM", 7),
        ("PINSVOR", 63),
    ],
)
def test_grids_of_the_paper(name: str, size: int) -> None:
    settings = make_method_run(MethodSpec(name)).settings
    assert len(settings) == len({tuple(setting.items()) for setting in settings}) == size
    strengths = [setting["C"] for setting in settings]
    assert strengths == sorted(strengths)
    assert min(strengths) == pytest.approx(1 / 2e3 if name.startswith("CSVOR") else 1e-3)
    assert max(strengths) == pytest.approx(1 / 2e-3 if name.startswith("CSVOR") else 1e3)
    if name == "CSVOR":
        assert {setting["p"] for setting in settings} == {0.5, 0.7, 1, 1.5, 1.7, 2}
        assert settings[0] == {"C": pytest.approx(0.0005), "p": 1.0}
    if name == "PINSVOR":
        assert [s["tau"] for s in settings[:9]] == [pytest.approx(k / 10) for k in range(1, 10)]


@pytest.mark.parametrize("name", ["POM", "KDLOR"])
def test_methods_without_a_grid(name: str) -> None:
    pytest.importorskip("skordinal", reason="skordinal is not installed")
    assert make_method_run(MethodSpec(name)).settings == ({},)


def test_quick_is_a_small_part() -> None:
    quick, paper = preset("quick"), preset("paper")
    assert (quick.splits, quick.levels) == (3, (0, 10, 20))
    assert quick.datasets == paper.datasets
    assert [m.name for m in quick.methods] == [m.name for m in paper.methods]
    for method in quick.methods:
        whole = STUDY_METHODS[method.name].grid
        assert set(method.grid or {}) == set(whole)
        for name, values in (method.grid or {}).items():
            assert set(values) <= set(whole[name])


@pytest.mark.parametrize("name", ["quick", "paper"])
def test_a_spec_goes_through_plain_types(name: str) -> None:
    spec = preset(name)
    assert spec_from_dict(spec.to_dict()) == spec


def test_a_file_with_everything(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'datasets = ["tae", "mine"]\nlevels = [5]\nsplits = 10\nfolds = 3\nseed = 7\n'
        "[methods.CSVOR]\n"
        "[methods.PINSVOR]\nsplits = 2\ngrid = { C = [1, 10], tau = [0.5] }\n"
        'parameters = { form = "code" }\n'
    )
    spec = load_spec(path)
    assert spec == Spec(
        ("tae", "mine"),
        (5,),
        (
            MethodSpec("CSVOR"),
            MethodSpec("PINSVOR", 2, {"C": (1, 10), "tau": (0.5,)}, {"form": "code"}),
        ),
        splits=10,
        folds=3,
        seed=7,
    )
    assert [spec.splits_of(method) for method in spec.methods] == [10, 2]
    assert spec_from_dict(spec.to_dict()) == spec


def test_splits_of_a_method_are_never_more_than_those_of_the_study() -> None:
    few, all_of_them = MethodSpec("CSVOR", splits=9), MethodSpec("CSVOR")
    assert Spec(("tae",), (0,), (few,), splits=3).splits_of(few) == 3
    assert Spec(("tae",), (0,), (few,)).splits_of(few) == 9
    assert Spec(("tae",), (0,), (all_of_them,)).splits_of(all_of_them) is None
    assert spec_from_dict({**GOOD, "splits": "all"}).splits is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"level": [0]}, r"unknown key 'level'; the keys are datasets, levels, methods, splits"),
        ({"methods": {"SVR": {}}}, "no method 'SVR'; the methods are CSVOR, CSVOR-auto, SVOREX"),
        ({"methods": {"CSVOR": {"C": 1}}}, r"CSVOR has the unknown key 'C'; the keys are splits"),
        ({"methods": {"CSVOR": 3}}, r"methods\.CSVOR: must be a table"),
        ({"methods": ["CSVOR"]}, "methods: must be a table"),
        ({"methods": {}}, "methods: must be a list with at least one"),
        ({"methods": {"CSVOR": {"grid": {"C": 1}}}}, r"CSVOR\.grid\.C: must be a list of values"),
        ({"methods": {"CSVOR": {"grid": {"C": []}}}}, r"CSVOR\.grid\.C: must be a list of values"),
        ({"methods": {"CSVOR": {"grid": {"C": "1"}}}}, r"CSVOR\.grid\.C: must be a list"),
        (
            {"methods": {"CSVOR": {"splits": 0}}},
            r"methods\.CSVOR\.splits: must be 'all' or a whole",
        ),
        (
            {"methods": {"CSVOR": {"grid": {"p": [1]}, "parameters": {"p": 1}}}},
            "'p' is in grid and in parameters",
        ),
        ({"datasets": []}, "datasets: must be a list with at least one entry"),
        ({"datasets": "tae"}, "datasets: must be a list"),
        ({"datasets": ["../tae"]}, r"'\.\./tae' is no name"),
        ({"datasets": ["tae", "tae"]}, "datasets: 'tae' is listed more than once"),
        ({"levels": [5, 101]}, "levels: must be whole percents from 0 to 100, got 101"),
        ({"levels": [0.1]}, "levels: must be whole percents"),
        ({"levels": [True]}, "levels: must be whole percents"),
        ({"levels": [5, 5]}, "levels: 5 is listed more than once"),
        ({"splits": 0}, "splits: must be 'all' or a whole number from 1, got 0"),
        ({"splits": "some"}, "splits: must be 'all'"),
        ({"folds": 1}, "folds: must be a whole number from 2, got 1"),
        ({"seed": -1}, "seed: must be a whole number from 0, got -1"),
    ],
)
def test_what_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        spec_from_dict({**GOOD, **change})


@pytest.mark.parametrize("key", ["datasets", "levels", "methods"])
def test_what_every_study_needs(key: str) -> None:
    with pytest.raises(ValueError, match=f"has no '{key}'"):
        spec_from_dict({name: value for name, value in GOOD.items() if name != key})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"levels = [", "mine.toml: "),
        (b"levels = 3\xff", "mine.toml: .*utf-8"),
        (b"level = 3", "mine.toml: the study has the unknown key 'level'"),
    ],
)
def test_faults_of_a_file_name_it(tmp_path: Path, text: bytes, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=message):
        load_spec(path)


def test_an_unknown_preset_is_named_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="no preset 'fast'; the presets are quick, paper"):
        preset("fast")


def test_parameters_that_a_method_lacks_are_named() -> None:
    for entry in (
        MethodSpec("SVOREX", grid={"tau": (1,)}),
        MethodSpec("SVOREX", parameters={"tau": 1}),
    ):
        with pytest.raises(ValueError, match=r"SVOREX: it has no parameter 'tau'; .* are C, class"):
            make_method_run(entry)


def test_a_fixed_parameter_is_not_searched() -> None:
    method_run = make_method_run(MethodSpec("CSVOR", parameters={"p": 2.0, "contamination": 0.2}))
    assert len(method_run.settings) == 7
    assert all(set(setting) == {"C"} for setting in method_run.settings)
    assert (method_run.estimator.p, method_run.estimator.contamination) == (2.0, 0.2)
