"""Studies: methods compared on data sets with corrupted rows, cell by cell, resumable."""

from csvor.study._data_experiments import Convergence, convergence, error_map
from csvor.study._experiments import experiments
from csvor.study._measures import MeasureSpec
from csvor.study._methods import (
    STUDY_METHODS,
    StudyMethod,
    fit_at_found_share,
    fit_each,
    fit_together,
)
from csvor.study._progress import Progress
from csvor.study._records import spec_of
from csvor.study._run import run
from csvor.study._spec import MethodSpec, Spec
from csvor.study._spec_files import PRESETS, load_spec, preset, spec_from_dict
from csvor.study._state import Status, results, status
from csvor.study._synthetic import Occlusion, Projection, occlusion, projection

__all__ = [
    "PRESETS",
    "STUDY_METHODS",
    "Convergence",
    "MeasureSpec",
    "MethodSpec",
    "Occlusion",
    "Progress",
    "Projection",
    "Spec",
    "Status",
    "StudyMethod",
    "convergence",
    "error_map",
    "experiments",
    "fit_at_found_share",
    "fit_each",
    "fit_together",
    "load_spec",
    "occlusion",
    "preset",
    "projection",
    "results",
    "run",
    "spec_from_dict",
    "spec_of",
    "status",
]
