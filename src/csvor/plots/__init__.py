"""Pictures of fits, audits and studies.

What is drawn of one fit, audit or table is a Display, as in scikit-learn: made from an estimator,
an audit or arrays, with ``ax_`` and ``figure_``, and ``plot`` to draw it again. Pictures of several
panels are functions: arrays and tables in, matplotlib's Axes or Figure out.

Needs matplotlib: ``pip install 'csvor[plots]'``. A method has the same colour, marker and line in
every picture (`method_style`); the colours are told apart by all kinds of colour vision, markers
and lines also in grey. No setting of matplotlib is changed.
"""

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError(
        "csvor.plots draws with matplotlib, which is not installed: pip install 'csvor[plots]'."
    ) from error

from csvor.plots._coefficients import CoefficientsDisplay
from csvor.plots._convergence import ConvergenceDisplay
from csvor.plots._curves import convergence_curves, level_curves
from csvor.plots._gallery import occlusion_gallery
from csvor.plots._losses import loss_plot
from csvor.plots._maps import sensitivity_maps
from csvor.plots._projection import projection_plot
from csvor.plots._ranks import critical_difference, critical_difference_size
from csvor.plots._raters import RatersDisplay
from csvor.plots._reliability import ReliabilityDisplay
from csvor.plots._robustness import RobustnessDisplay
from csvor.plots._style import COLOURS, MethodStyle, method_style
from csvor.plots._suspects import SuspectsDisplay
from csvor.plots._thresholds import ThresholdDisplay

__all__ = [
    "COLOURS",
    "CoefficientsDisplay",
    "ConvergenceDisplay",
    "MethodStyle",
    "RatersDisplay",
    "ReliabilityDisplay",
    "RobustnessDisplay",
    "SuspectsDisplay",
    "ThresholdDisplay",
    "convergence_curves",
    "critical_difference",
    "critical_difference_size",
    "level_curves",
    "loss_plot",
    "method_style",
    "occlusion_gallery",
    "projection_plot",
    "sensitivity_maps",
]
