"""Our Halton sequence is SciPy's; it is ours because SciPy's takes long to import."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import qmc

from steelyard.algorithms.preference_gp.halton import scrambled_halton


@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_it_is_scipys_bit_for_bit(n):
    assert np.array_equal(scrambled_halton(n, 3000), qmc.Halton(n, scramble=True, seed=0).random(3000))


def test_a_method_for_people_starts_without_scipy_stats():
    look = "import sys, steelyard.algorithms.preference_gp; print('scipy.stats' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", look], capture_output=True, text=True).stdout.strip() == "False"
