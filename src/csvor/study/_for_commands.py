"""What the command line uses of studies beside their public names."""

from csvor.study._methods import MethodRun, Setting
from csvor.study._records import other_study
from csvor.study._select import Fold, expand, select
from csvor.study._state import failed_measures

__all__ = ["Fold", "MethodRun", "Setting", "expand", "failed_measures", "other_study", "select"]
