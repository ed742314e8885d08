"""The solvers: they know requests and that the last coordinates are not negative."""
