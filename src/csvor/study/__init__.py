"""Studies: methods compared on data sets with spoilt rows, cell by cell, resumable."""

from csvor.study._methods import STUDY_METHODS, StudyMethod, fit_each
from csvor.study._plan import spec_of
from csvor.study._run import run
from csvor.study._spec import PRESETS, MethodSpec, Spec, load_spec, preset, spec_from_dict
from csvor.study._state import Progress, Status, results, status

__all__ = [
    "PRESETS",
    "STUDY_METHODS",
    "MethodSpec",
    "Progress",
    "Spec",
    "Status",
    "StudyMethod",
    "fit_each",
    "load_spec",
    "preset",
    "results",
    "run",
    "spec_from_dict",
    "spec_of",
    "status",
]
