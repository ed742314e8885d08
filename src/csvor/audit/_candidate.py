"""What is a model that an audit has compared, and what tells it from the others?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

from csvor._data.kernels import WITH_GAMMA
from csvor._estimators.steps import is_own, last_step


@dataclass(frozen=True, eq=False)
class Candidate:
    """A model that was compared.

    Attributes
    ----------
    estimator : estimator
        Not fitted, with the contamination in force.
    share : float
        The share of wrong labels that its scores show.
    log_likelihood : float
        Penalised, of labels given its scores.
    weight : float
        Its weight in the average, all of which sum to 1.
    reading : {"margins", "probabilities", "expected class", "score"}
        How its answers are read, as `csvor.audit_scores` has it.
    """

    estimator: Any
    share: float
    log_likelihood: float
    weight: float
    reading: str = "margins"

    @property
    def settings(self) -> dict[str, Any]:
        """What tells it from the others."""
        model = last_step(self.estimator)
        if not is_own(model):
            return {"model": type(model).__name__, "reading": self.reading} | _changed(model)
        names = ("C", "kernel", "gamma", "n_components", "constraints", "contamination")
        unused = unused_by(model)
        return {
            name: None if name in unused else getattr(model, name)
            for name in names
            if hasattr(model, name)
        }


def n_models(candidates: Iterable[Candidate]) -> int:
    """How many models they are: with a cap and without, a model is the same one."""
    return len(
        {
            tuple(value for name, value in candidate.settings.items() if name != "contamination")
            for candidate in candidates
        }
    )


def trees_in_words(models: Mapping[str, float]) -> str:
    """The shares of the weight that trees have in an audit; blank where they have none."""
    _, *trees = models.items()  # the first is csvor, or the estimator in its place
    return " and ".join(f"{name} {share:.0%}" for name, share in trees if share >= 0.005)


def _changed(model: Any) -> dict[str, Any]:
    """The parameters that are not those by default."""
    defaults = {name: p.default for name, p in signature(type(model)).parameters.items()}
    values = model.get_params(deep=False)
    return {name: v for name, v in values.items() if repr(v) != repr(defaults.get(name))}


def unused_by(model: Any) -> tuple[str, ...]:
    """Parameters that its kernel does not read."""
    if model.kernel == "linear":
        return ("gamma", "n_components", "random_state")
    return () if model.kernel in WITH_GAMMA else ("gamma",)
