"""Which study do the options of `csvor study run` ask for, and may it run in that folder?"""

import sys
from dataclasses import replace
from pathlib import Path

from csvor._faults.errors import UsageError, refuse
from csvor.cli.commands._command_options import StudyOptions
from csvor.study import MeasureSpec, Spec, load_spec, preset, spec_of
from csvor.study._for_commands import other_study


def chosen_spec(options: StudyOptions) -> Spec:
    """The study of the options, which may not replace another; its faults are a wrong use."""
    spec = _named_spec(options.out, options.preset, options.spec)
    try:
        measures = map(MeasureSpec.of, options.measure)
        new = tuple(measure for measure in measures if measure not in spec.measures)
        spec = replace(spec, measures=spec.measures + new)
    except ValueError as error:
        raise UsageError(f"--measure: {error}") from error
    if any(measure.function for measure in spec.measures):
        _find_modules_here()
    if not options.replace and (other := other_study(Path(options.out), spec)):
        refuse("another-study", out=options.out, other=other)
    return spec


def _find_modules_here() -> None:
    """Let measures of one's own stand in the current folder; a name elsewhere comes first."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)


def _named_spec(out: str, preset_name: str | None, spec_file: str | None) -> Spec:
    if preset_name is not None and spec_file is not None:
        refuse("both", one="--preset", other="--spec", what="which study runs")
    if spec_file is not None:
        if not Path(spec_file).is_file():
            refuse("no-file", path=f"--spec {spec_file}", hint="")
        try:
            return load_spec(spec_file)
        except ValueError as error:
            raise UsageError(str(error)) from error
    if preset_name is None:
        return spec_of(out) or preset("quick")
    return preset(preset_name)
