"""Recorded answers of people about pairs, read from packages that are installed; none of the data are ours.

| name | people | items | from |
|---|---|---|---|
| `universities` | 303 students | 6 universities | BradleyTerry2, of R (Dittrich and others 1998) |
| `dessert` | tasters | flavour and gel, 3 by 3 | BradleyTerry2 (Springall 1973) |
| `sound-fields` | listeners | 8 sound fields | BradleyTerry2 (Kousgaard 1984) |
| `parties` | 192 people | 6 German parties | psychotools (Strobl, Wickelmaier and Zeileis 2011) |
| `names` | 192 people | 6 first names | psychotools |
| `sound-quality` | 40 listeners, repeatedly | 8 ways to play music | psychotools (Choisel and Wickelmaier 2007) |
"""

import warnings
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import BadValue
from steelyard.real.task import found_in

LIBRARY = "lib/R/site-library"
"""Where Debian keeps R's packages, below /usr."""


class Recorded(NamedTuple):
    """Answers, one per row: who gave it (-1 if that was not recorded), about which two items, and what it was."""

    items: tuple[str, ...]
    person: NDArray[np.intp]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    answer: NDArray[np.int8]
    """+1 the first is better, -1 the second, 0 a tie."""


def recorded(name: str) -> Recorded:
    """The answers of that name."""
    if name not in READERS:
        raise BadValue(f"recorded answers must be one of {', '.join(READERS)}, got {name!r}")
    return READERS[name]()


def r_data(package: str, name: str) -> Any:
    """A data set of an installed R package, data frames as dictionaries of columns."""
    folder = found_in(f"{LIBRARY}/{package}/data")
    if folder is None:
        raise ImportError(f"the data of {package} need R's package: apt-get install r-cran-{package.lower()}")
    single = folder / f"{name}.rda"
    if single.exists():
        return _converted(single.read_bytes())[name]
    # R's database of lazily loaded objects: an index of offsets, and blocks of a length and zlib's data.
    start, length = _converted((folder / "Rdata.rdx").read_bytes())["variables"][name]
    block = (folder / "Rdata.rdb").read_bytes()[int(start) : int(start) + int(length)]
    return _converted(zlib.decompress(block[4:]))


def _converted(data: bytes) -> Any:
    from rdata.conversion import DEFAULT_CLASS_MAP, convert
    from rdata.parser import parse_data

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an object without a header is taken for what it is, as are unknown classes
        return convert(parse_data(data), {**DEFAULT_CLASS_MAP, "data.frame": lambda columns, attributes: columns})


@cache
def _universities() -> Recorded:
    data = r_data("BradleyTerry2", "CEMS")["preferences"]
    answered = ~np.isnan(data["win1"])
    items = tuple(str(each) for each in data["school1"].categories)
    first, second = (_codes(data[column], items)[answered] for column in ("school1", "school2"))
    answer = (data["win1"][answered] - data["win2"][answered]).astype(np.int8)
    return Recorded(items, data["student"][answered].astype(np.intp), first, second, answer)


def _counted(contests: Any, first: str, second: str, wins: str, losses: str, ties: str) -> Recorded:
    """From counts of wins, losses and ties for each pair."""
    items = tuple(str(each) for each in contests[first].categories)
    rows = []
    for i, j, won, lost, tied in zip(
        _codes(contests[first], items),
        _codes(contests[second], items),
        *(contests[column].astype(int) for column in (wins, losses, ties)),
        strict=True,
    ):
        rows += [(i, j, 1)] * won + [(i, j, -1)] * lost + [(i, j, 0)] * tied
    a, b, answer = np.array(rows).T
    return Recorded(items, np.full(len(a), -1), a, b, answer.astype(np.int8))


@cache
def _dessert() -> Recorded:
    return _counted(r_data("BradleyTerry2", "springall")["contests"], "row", "col", "win", "loss", "tie")


@cache
def _sound_fields() -> Recorded:
    data = r_data("BradleyTerry2", "sound.fields")["comparisons"]
    return _counted(data, "field1", "field2", "win1", "win2", "tie")


def _psychotools(name: str, items: int) -> Recorded:
    """A matrix with a row for each person and a column for each pair, in the order 1:2, 1:3, 2:3, 1:4, ..."""
    matrix = np.asarray(r_data("psychotools", name)["preference"], dtype=np.float64)
    pairs = np.array([(i, j) for j in range(items) for i in range(j)])
    person, column = np.nonzero(np.abs(matrix) <= 1)
    answer = matrix[person, column].astype(np.int8)
    names = tuple(str(k + 1) for k in range(items))
    return Recorded(names, person, pairs[column, 0], pairs[column, 1], answer)


def _codes(column: Any, items: tuple[str, ...]) -> NDArray[np.intp]:
    place = {item: k for k, item in enumerate(items)}
    return np.array([place[str(each)] for each in column], dtype=np.intp)


READERS: dict[str, Callable[[], Recorded]] = {
    "universities": _universities,
    "dessert": _dessert,
    "sound-fields": _sound_fields,
    "parties": lambda: _psychotools("GermanParties2009", 6),
    "names": lambda: _psychotools("FirstNames", 6),
    "sound-quality": lambda: _psychotools("SoundQuality", 8),
}
