"""Does a study work? Every kind of candidate is rendered before people see any."""

import time
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path

import numpy as np

from steelyard.errors import BadValue
from steelyard.studies.study import Study, load_study
from steelyard.studies.views import Renderer

MOST_CORNERS = 16


def checked(study: Study, candidates: int = 10) -> Iterator[tuple[str, float, str]]:
    """Render the start, corners and random candidates: what it was, how long it took, and what went wrong."""
    n = len(study.space)
    rng = np.random.default_rng(0)
    corners = list(product((0, 1), repeat=n)) if n <= 4 else rng.integers(2, size=(MOST_CORNERS, n)).tolist()
    points = [("the start", study.space.start)]
    points += [("a corner", np.array(corner, dtype=float)) for corner in corners]
    points += [("at random", rng.random(n)) for _ in range(candidates)]
    with closing(Renderer(study, b"check")) as renderer:
        for name, point in points:
            values = study.space.values(study.space.snap(point))
            begin = time.perf_counter()
            error = renderer.show(values).error
            words = ", ".join(f"{p.name} = {p.text(values[p.name])}" for p in study.space.parameters)
            yield f"{name}: {words}", time.perf_counter() - begin, error


def studies_in(folder: Path) -> list[tuple[Path, Study]]:
    """All studies in a folder, by their names; files that are no studies are left out."""
    if not folder.is_dir():
        raise BadValue(f"folder must be one that exists, got {str(folder)!r}")
    studies = []
    for path in sorted(folder.glob("*.toml")):
        try:
            studies.append((path, load_study(path)))
        except ValueError:
            continue
    return studies
