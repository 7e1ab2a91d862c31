"""Seeds that are no repeats: a method that draws nothing does the same run for every seed, and counts once."""

import numpy as np

from steelyard.bench.results import Results

_TELLING = ("queries", "f_final")


def drawing_nothing(results: Results) -> list[str]:
    """The methods whose runs are the same, number by number, for every seed of every problem; two seeds at least.

    Under a noisy oracle the answers differ from seed to seed, so there is no such method then.
    """
    names = results["algorithm"].astype(str)
    columns = [name for name in results.columns if name in _TELLING or name.startswith("to_")]
    found = []
    for name in dict.fromkeys(names.tolist()):
        runs = results.take(names == name)
        numbers = np.stack([runs[column].astype(np.float64) for column in columns], axis=1)
        _, problem = np.unique(runs["problem"].astype(str), return_inverse=True)
        _, first = np.unique(problem, return_index=True)
        repeated = len(problem) >= 2 * len(first)
        if repeated and np.array_equal(numbers, numbers[first][problem], equal_nan=True):
            found.append(name)
    return found


def without_false_repeats(results: Results) -> tuple[Results, str]:
    """The results with one run per problem of every method that draws nothing, and a sentence that says so."""
    names = drawing_nothing(results)
    if not names:
        return results, ""
    same = np.isin(results["algorithm"].astype(str), names)
    each = np.array([f"{a}\0{p}" for a, p in zip(results["algorithm"], results["problem"], strict=True)])
    _, first = np.unique(each, return_index=True)
    kept = ~same
    kept[first] = True
    which = f"{', '.join(names[:-1])} and {names[-1]} draw" if len(names) > 1 else f"{names[0]} draws"
    text = f"{which} nothing at random: all seeds of a problem are the same run, which is counted once."
    return results.take(kept), text
