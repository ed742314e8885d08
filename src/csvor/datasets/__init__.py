"""Data sets of the paper by name, one's own files, and generated problems."""

from csvor.datasets._catalogue import (
    DatasetError,
    DatasetInfo,
    DatasetNotFoundError,
    info,
    names,
)
from csvor.datasets._faces import load_faces
from csvor.datasets._fetch import fetch
from csvor.datasets._folders import cache_folder, locate
from csvor.datasets._generated import make_ordinal_clusters, make_ordinal_images
from csvor.datasets._load import load
from csvor.datasets._protocol import equal_frequency, splits
from csvor.datasets._reviews import make_ordinal_reviews
from csvor.datasets._table import load_csv

__all__ = [
    "DatasetError",
    "DatasetInfo",
    "DatasetNotFoundError",
    "cache_folder",
    "equal_frequency",
    "fetch",
    "info",
    "load",
    "load_csv",
    "load_faces",
    "locate",
    "make_ordinal_clusters",
    "make_ordinal_images",
    "make_ordinal_reviews",
    "names",
    "splits",
]
