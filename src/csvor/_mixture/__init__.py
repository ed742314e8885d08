"""How many labels are wrong, and which, by a likelihood in which labels may be wrong."""
