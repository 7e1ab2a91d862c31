"""The whole reproduction with tiny budgets: that it runs, and that its verdicts come from the data."""

import numpy as np
import pytest

from steelyard import FunctionOracle, Session
from steelyard.bench.plan import Plan
from steelyard.bench.records import load
from steelyard.bench.results import Results
from steelyard.bench.run import run
from steelyard.paper import plans as paper
from steelyard.paper.claims import CLAIMS
from steelyard.paper.comparison import Fraction
from steelyard.paper.evidence import Evidence
from steelyard.paper.ledger import Check, Claim, Finding, judge
from steelyard.paper.report import reproduction_report
from steelyard.paper.settings import SAME, settings
from steelyard.registry import make_algorithm


@pytest.fixture(scope="module")
def evidence(tmp_path_factory):
    """Every experiment once, with its real methods, but for some 100 queries and one seed."""
    out = tmp_path_factory.mktemp("reproduction")
    tiny = paper.Programme("quick", budget=10_000, seeds=1, repeats=1, grid_seeds=1, ours=("CMA-ES ours",))
    plans = [Plan(p.problems, p.algorithms, 120, 1, p.oracle, checkpoints=[100]) for p in tiny.plans().values()]
    run(plans, out, jobs=0)
    results = load(out)
    # The report asks for runs of its own budgets: these short ones stand in for them.
    wanted = {spec: plan.budget for plan in tiny.plans().values() for spec in plan.algorithms}
    columns = {**results.columns, "budget": np.array([wanted[spec] for spec in results["algorithm"]])}
    return Evidence(Results(columns, results.offsets, results.traces), tiny), out


@pytest.fixture(scope="module")
def report(evidence):
    """Its page, and what it found."""
    path, findings = reproduction_report(*evidence, "steelyard reproduce --quick")
    return path.read_text(encoding="utf-8"), findings


def test_report_has_every_figure_every_claim_and_every_command(evidence, report):
    (data, out), (text, findings) = evidence, report
    assert len(findings) == len(CLAIMS) and text.count("<figure>") == 10
    assert text.count("steelyard bench") == len(data.programme.plans())
    assert "http://" not in text and "https://" not in text
    for name in ("toy", "cutest", "profiles", "data-profiles", "targets", "noise", "gld", "gld-published", "scobo-r"):
        assert (out / "report" / "figures" / f"{name}.pdf").exists()
    large = [f for f in findings if f.claim.budget > 10_000]
    assert large and all(f.verdict == "not measured" for f in large)
    assert all(f.verdict != "not measured" for f in findings if f.claim.budget <= 10_000)
    assert next(f for f in findings if "CompMin" in f.claim.statement).verdict == "holds"


def test_verdicts_turn_with_the_data(evidence):
    data, _ = evidence
    claim = next(c for c in CLAIMS if c.statement == "GLD optimises SparseQuadratic the fastest.")
    for factor, verdict in ((1e-6, "holds"), (1e6, "does not hold")):
        traces = dict(data.results.traces)
        mine = data.results["algorithm"] == paper.TOY_METHODS["GLD"]
        rows = np.repeat(mine, np.diff(data.results.offsets)) & (traces["trace_queries"] > 0)
        traces["trace_f"] = np.where(rows, traces["trace_f"] * factor, traces["trace_f"])
        changed = Evidence(Results(data.results.columns, data.results.offsets, traces), data.programme)
        assert judge([claim], changed)[0].verdict == verdict


def test_a_verdict_is_the_count_of_its_checks():
    claim = Claim("", "", lambda e: ())
    yes, no = Check("", True), Check("", False)
    assert Finding(claim, (yes, yes)).verdict == "holds"
    assert Finding(claim, (yes, no)).verdict == "holds in part" and Finding(claim, (yes, no)).score == "1 of 2"
    assert Finding(claim, (no, no)).verdict == "does not hold"


def test_agreement_allows_for_chance_but_not_for_more():
    assert Fraction("f05", 10_000, "STP", 0.60, rerun=0.56, recorded=0.55, error=0.1).agrees
    assert not Fraction("f05", 10_000, "STP", 0.80, rerun=0.56, recorded=0.55, error=0.1).agrees


def test_the_full_programme_is_the_papers_and_quick_is_a_part_of_it():
    full, quick = paper.FULL.plans(), paper.QUICK.plans()
    assert set(full) == set(quick) and full["profiles"].budget == 100_000 and full["profiles"].seeds == 5
    assert len(full["profiles"].problem_names()) == 22
    assert set(paper.METHODS.values()) <= set(full["profiles"].algorithms)
    assert len(full["GLD as written"].algorithms) == 16 == len(full["SCOBO s and m"].algorithms)


@pytest.mark.parametrize("preset", ["paper", "paper-toy"])
def test_the_papers_cma_es_is_the_papers(preset):
    """Cumulative step-size control, no negative weights, and 45 comparisons to bubble-sort a generation of 10."""
    algorithm = make_algorithm("cma-es", {"preset": preset})
    assert (algorithm.control, algorithm.sorting, algorithm.active) == ("path", "bubble", False)
    counts = []
    Session(algorithm, np.ones(5), 0).run(
        FunctionOracle(lambda x: (x * x).sum(axis=-1)), 450, lambda result: counts.append(result.ncmp)
    )
    assert counts == list(range(45, 451, 45))


def test_settings_say_what_is_run_and_why_it_differs():
    table = settings()
    assert {row.method for row in table} == set(paper.METHODS)
    for row in table:
        assert row.reason and (row.reason != SAME or row.ours == row.published), row
    by = {(row.method, row.what): row for row in table}
    directions = by["SCOBO", "directions"]
    assert (directions.published, directions.ours) == ("rademacher", "sphere") and directions.reason != SAME
    assert by["CMA-ES", "sorting"].ours == "bubble" and by["CMA-ES", "control of σ"].ours == "path"


def test_the_first_paragraph_says_what_cannot_be_judged_and_the_22_problems_are_listed(report):
    text, findings = report
    count = sum(f.verdict == "not measured" for f in findings)
    assert count == 3
    first = text.split("</p>")[0]
    assert f" {count} of the {len(CLAIMS)} claims are about 100,000 queries and cannot be judged here" in first
    assert '<td class="text">LUKSAN12LS</td><td>98</td>' in text and '<td class="text">STRTCHDV</td><td>10</td>' in text
    assert text.count("Dark cells have low values") == 8  # four captions, each also the picture's description


def test_our_own_methods_are_shown_and_judge_nothing(evidence):
    data, _ = evidence
    assert data.programme.methods["CMA-ES ours"] == "cma-es" == data.programme.toy_methods["CMA-ES ours"]
    for finding in judge(CLAIMS, data):
        assert not any("ours" in check.text for check in finding.checks)
