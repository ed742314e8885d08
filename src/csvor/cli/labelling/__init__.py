"""Rows that are reviewed in a labelling tool: to Label Studio and Argilla, and back."""
