"""Print the oldest release of each package that pyproject.toml allows, as constraints of pip."""

import re
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]


def oldest() -> dict[str, str]:
    """The lower bound of each package, for its last patch: ``1.14`` is any 1.14.x."""
    extras = PROJECT["optional-dependencies"].values()
    bounds: dict[str, tuple[int, ...]] = {}
    for requirement in (*PROJECT["dependencies"], *(one for extra in extras for one in extra)):
        match = re.match(r"([\w-]+)(?:\[[^]]*\])?>=([\d.]+)", requirement)
        if match:
            bound = tuple(map(int, match[2].split(".")))
            bounds[match[1]] = max(bound, bounds.get(match[1], bound))
    return {
        name: ".".join(map(str, bound)) + (".*" if len(bound) < 3 else "")
        for name, bound in bounds.items()
    }


if __name__ == "__main__":
    for name, bound in sorted(oldest().items()):
        print(f"{name}=={bound}")
