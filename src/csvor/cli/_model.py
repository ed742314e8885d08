"""Model files: a skops archive of the pipeline and what belongs to it."""

import importlib
import inspect
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import skops.io
from sklearn.pipeline import Pipeline

from csvor._utils.atomic_files import write_whole
from csvor.cli._errors import CommandError, UsageError, listed
from csvor.cli.input._features import Features

FORMAT = "csvor model 1"
# They describe or hold numbers and run nothing: an imputer of scikit-learn keeps the type of its
# column, a kernel on sparse rows its landmarks.
HARMLESS = {"numpy.dtype", "scipy.sparse._csr.csr_array", "scipy.sparse._csr.csr_matrix"}


@dataclass
class Model:
    """A fitted pipeline with the names it was fitted by."""

    pipeline: Pipeline
    target: str
    classes: list[Any]
    order: str
    features: Features
    dropped: list[str]
    id: str | None
    impute: bool
    settings: dict[str, Any]
    groups: str | None = None


def save_model(path: str, model: Model) -> None:
    """Write a model whole or not at all."""
    content = {key: getattr(model, key) for key in model.__dataclass_fields__}
    content["features"] = asdict(model.features)
    write_whole(Path(path), skops.io.dumps({"format": FORMAT, **content}))


def load_model(path: str) -> Model:
    """Read a model; types that are neither scikit-learn's nor csvor's own are refused."""
    if not Path(path).is_file():
        raise UsageError(f"{path}: there is no such file")
    raw = Path(path).read_bytes()
    try:
        foreign = skops.io.get_untrusted_types(data=raw)
        refused = [name for name in foreign if name not in HARMLESS and not _is_ours(name)]
        if refused:
            raise CommandError(
                f"{path}: refused, it holds types that are not csvor's: {listed(refused)}"
            )
        content = skops.io.loads(raw, trusted=foreign)
    except CommandError:
        raise
    except Exception as error:
        raise CommandError(f"{path}: not a model that csvor fit wrote ({error})") from error
    if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
        raise CommandError(f"{path}: a skops file, but not a model that csvor fit wrote")
    content["features"] = Features(**content["features"])
    return Model(**content)


def _is_ours(name: str) -> bool:
    """Whether `name` is a class that csvor itself defines, not something it imports."""
    module, _, attribute = name.rpartition(".")
    if module != "csvor" and not module.startswith("csvor."):
        return False
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError):
        return False
    return inspect.isclass(found) and found.__module__ == module
