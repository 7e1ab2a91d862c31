"""The ioh algorithm in ioh's own experiments."""

import pytest

from steelyard.errors import BadType

ioh = pytest.importorskip("ioh")
from steelyard.bridges.ioh_algorithm import ForIOH  # noqa: E402


def test_an_experiment_logs_what_it_evaluates(tmp_path):
    method = ForIOH("cqn", budget=300)
    experiment = ioh.Experiment(
        method, fids=[1], iids=[1, 2], dims=[3], reps=1, output_directory=str(tmp_path), zip_output=False,
        algorithm_name="steelyard", logged_attributes=["comparisons"],
    )  # fmt: skip
    experiment()
    runs = [path.read_text().splitlines() for path in tmp_path.rglob("*.dat")]
    assert runs and all("comparisons" in rows[0] and len(rows) > 20 for rows in runs)


def test_every_run_has_numbers_of_its_own():
    method, other = ForIOH("stp", budget=20), ForIOH("stp", budget=20)
    first, second = (method(ioh.get_problem(1, 1, 3)).x.tolist() for _ in range(2))
    assert first != second
    assert other(ioh.get_problem(1, 1, 3)).x.tolist() == first != other(ioh.get_problem(1, 2, 3)).x.tolist()


def test_it_reaches_the_optimum_in_the_box():
    problem = ioh.get_problem(1, 1, 4)
    result = ForIOH("cqn", budget=2000)(problem)
    assert problem.state.current_best.y - problem.optimum.y < 1e-6
    assert result.ncmp <= problem.state.evaluations <= 2 * result.ncmp
    assert abs(result.x).max() <= 5.0


def test_it_maximises_what_is_to_be_maximised():
    problem = ioh.wrap_problem(lambda x: -sum((v - 1) ** 2 for v in x), "hill", ioh.ProblemClass.REAL, dimension=2,
                               optimization_type=ioh.OptimizationType.MAX, lb=-5, ub=5)  # fmt: skip
    assert ForIOH("pattern-search", budget=400)(problem).x == pytest.approx([1, 1], abs=0.05)


def test_problems_of_bits_are_refused():
    with pytest.raises(BadType, match="real-valued"):
        ForIOH()(ioh.get_problem(1, 1, 8, ioh.ProblemClass.INTEGER))
