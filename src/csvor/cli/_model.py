"""Model files: a skops archive of the pipeline, with a record of how it came about."""

import io
import warnings
import zipfile
from dataclasses import dataclass
from pathlib import Path

import skops.io
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.pipeline import Pipeline

from csvor._faults.errors import CommandError
from csvor._faults.fault import fault
from csvor._tables.features import FeatureColumns
from csvor._utils.atomic_files import write_whole
from csvor._utils.trusted import TRUSTED_TYPES
from csvor._utils.version import OtherVersionWarning
from csvor.cli._record import DECISIVE, NAME, Record, no_model, read_record


@dataclass(frozen=True)
class StoredModel:
    """A fitted pipeline, and how it came about."""

    pipeline: Pipeline
    record: Record

    @property
    def features(self) -> FeatureColumns:
        """How a table is prepared for it."""
        return FeatureColumns(**self.record.features)


def save_model(path: str, model: StoredModel) -> None:
    """Write a model whole or not at all."""
    raw = io.BytesIO(skops.io.dumps(model.pipeline, compression=zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(raw, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(NAME, model.record.as_json())
    write_whole(Path(path), raw.getvalue())


def load_model(path: str) -> StoredModel:
    """Read a model; types of neither scikit-learn nor csvor are refused."""
    record = read_record(path)
    raw = Path(path).read_bytes()
    try:
        foreign = skops.io.get_untrusted_types(data=raw)
        refused = [name for name in foreign if name not in TRUSTED_TYPES]
        if refused:
            raise CommandError(fault("foreign-types", path=path, types=refused))
        with warnings.catch_warnings():  # the record tells the versions once, whoever differs
            warnings.simplefilter("ignore", InconsistentVersionWarning)
            warnings.simplefilter("ignore", OtherVersionWarning)
            pipeline = skops.io.loads(raw, trusted=foreign)
        labels = pipeline.classes_.tolist() if isinstance(pipeline, Pipeline) else None
    except CommandError:
        raise
    except Exception as error:
        writers = " and ".join(f"{name} {record.versions.get(name)}" for name in DECISIVE)
        raise CommandError(
            fault("unrestorable", path=path, why=str(error).split(". ")[0], writers=writers)
        ) from error
    if not isinstance(pipeline, Pipeline):
        raise no_model(path, "it holds no pipeline")
    if labels != record.classes:
        raise no_model(path, f"its labels are not those of its {NAME}")
    return StoredModel(pipeline, record)
