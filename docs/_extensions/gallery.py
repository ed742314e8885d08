"""In what order does the gallery show its examples? As a newcomer asks, and not by file name."""

SECTIONS = ["wrong_labels", "raters", "robust_models", "fits", "studies"]
_FIRST = [
    "plot_suspects.py", "plot_named_scores.py", "plot_effort.py", "plot_reliability.py",
    "plot_own_model.py", "plot_graders.py", "plot_robustness.py", "plot_thresholds.py",
]  # fmt: skip


class Order:
    """The key of a file within its section: those listed come first, the others by name."""

    def __init__(self, folder: str) -> None:
        pass

    def __call__(self, name: str) -> tuple[int, str]:
        return (_FIRST.index(name) if name in _FIRST else len(_FIRST)), name

    def __repr__(self) -> str:
        return type(self).__name__
