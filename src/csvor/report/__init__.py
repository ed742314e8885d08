"""The report of a study: tables, ranks, tests, pictures and words, from its results."""

from csvor.report._published import compare_published, published_results
from csvor.report._write import write_report

__all__ = ["compare_published", "published_results", "write_report"]
