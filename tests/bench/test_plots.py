import numpy as np
import pytest

from steelyard.bench import plots
from steelyard.bench.profiles import Curve, band


def test_labels_are_moved_apart_as_little_as_needed():
    assert plots.spread_out([0.2, 0.5, 0.9], 0.1) == [0.2, 0.5, 0.9]
    np.testing.assert_allclose(plots.spread_out([0.5, 0.5, 0.5], 0.1), [0.4, 0.5, 0.6])
    np.testing.assert_allclose(plots.spread_out([0.0, 0.0], 0.1), [0.0, 0.1])
    np.testing.assert_allclose(plots.spread_out([1.0, 1.0], 0.1), [0.9, 1.0])


def test_a_method_looks_the_same_in_every_figure_and_unlike_the_others():
    names = [f"method {i}" for i in range(12)]
    look = plots.looks(names)
    assert len({(each.colour, str(each.dashes)) for each in look.values()}) == 12
    assert look["method 0"] == plots.looks(names[:3])["method 0"]


@pytest.mark.parametrize("kind", ["gap", "profile", "heat"])
def test_figures_survive_infinities_zeros_and_nothing_solved(kind, tmp_path):
    look = plots.looks(["a", "b"])
    if kind == "gap":
        bands = {"a": band(np.array([[3.0, 1.0, 0.0], [2.0, np.nan, np.inf]])), "b": band(np.ones((2, 3)))}
        figure = plots.gap_panels({"P": bands}, np.array([0.0, 10.0, 100.0]), look)
    elif kind == "profile":
        nothing = Curve(np.zeros(0), np.zeros((2, 0)))
        some = Curve(np.array([1.0, 4.0]), np.array([[0.5, 1.0], [0.0, 0.0]]))
        figure = plots.profile_panels({"P": (["a", "b"], some), "Q": (["a", "b"], nothing)}, look, "tau")
    else:
        figure = plots.heat_maps({"P": np.array([[1.0, np.inf], [0.0, 1e-12]])}, ["1", "2"], ["3", "4"], "R", "r")
    png = plots.save(figure, tmp_path, "figure")
    assert png.read_bytes().startswith(b"\x89PNG") and (tmp_path / "figure.pdf").read_bytes().startswith(b"%PDF")


def test_every_heat_map_has_a_colour_bar_with_its_values():
    figure = plots.heat_maps({"P": np.array([[1.0, 10.0], [100.0, 1e4]])}, ["1", "2"], ["3", "4"], "R", "r")
    panel, bar = figure.axes
    assert panel.get_title() == "P"
    assert [label.get_text() for label in bar.get_yticklabels()] == ["1", "10", "100", "1e+03", "1.0e4"]


@pytest.mark.parametrize("values", [np.full((2, 2), 3.0), np.array([[1.0, np.inf], [0.0, 1e-12]])])
def test_colour_bars_survive_flat_and_endless_panels(values):
    figure = plots.heat_maps({"P": values}, ["1", "2"], ["3", "4"], "R", "r")
    assert 2 <= len(figure.axes[1].get_yticklabels()) <= 5


def test_a_curve_goes_no_further_than_its_data():
    look = plots.looks(["a"])
    curve = Curve(np.array([10.0, 9_000.0]), np.array([[0.5, 1.0]]))
    by_budget = plots.profile_panels({"P": (["a"], curve)}, look, "queries", right=10_000)
    assert by_budget.axes[0].get_xlim() == (10.0, 10_000.0)
    by_data = plots.profile_panels({"P": (["a"], curve)}, look, "tau")
    assert by_data.axes[0].get_xlim()[1] == pytest.approx(9_450.0)
