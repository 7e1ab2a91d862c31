"""A tour of wrong study files and plan files: every message names the entry, the value and what is allowed."""

import pytest
from wrong import assert_says

from steelyard.bench.plan import Plan
from steelyard.studies.study import load_study

STUDY = """
title = "The kettle"
budget = 20
{more}

[view]
{view}

[[parameters]]
name = "pitch"
{parameter}
"""
TEMPLATE = 'template = "kettle.html"'

STUDIES = [
    # what is in the file; the entry, the value and what is allowed
    ({"more": "budgets = 3"}, "a study", "'budgets'", "keys among"),
    ({"more": "seed = -1"}, "seed", "-1", "at least 0"),
    ({"more": "seed = 1.5"}, "seed", "1.5", "integer"),
    ({"more": "question = ' '"}, "question", "' '", "non-empty"),
    ({"more": "method = 'preference'"}, "method", "'preference'", "one of"),
    ({"more": "checks = 1000"}, "checks", "1000", "from 0 to 100"),
    ({"more": "raters = 3"}, "raters", "3", "must be a table"),
    ({"more": "raters = { mode = 'together' }"}, "mode of the raters", "'together'", "own, shared"),
    ({"more": "raters = { votes = 3 }"}, "votes", "3", "must be 1"),
    ({"more": "raters = { people = 3 }"}, "raters", "'people'", "keys among"),
    ({"more": "options = { batchh = 2 }"}, "options", "'batchh'", "among"),
    ({"view": "type = 'html'"}, "view", "none", "exactly one of template, function, command"),
    ({"view": TEMPLATE + "\nfunction = 'a:b'"}, "view", "['template', 'function']", "exactly one of"),
    ({"view": 'template = "missing.html"'}, "template", "'missing.html'", "a file in the study's folder"),
    ({"view": 'template = "../kettle.html"'}, "file of the study", "'../kettle.html'", "in its folder"),
    ({"view": TEMPLATE + "\ntype = 'gif'"}, "type of a template", "'gif'", "html, svg or text"),
    ({"view": TEMPLATE + "\ntype = 'wav'"}, "type of a template", "'wav'", "html, svg or text"),
    ({"view": "function = 'kettle'"}, "function", "'kettle'", "module:function"),
    ({"view": "command = ['render', '{pitch}']"}, "command", "'render'", "{output}"),
    ({"view": TEMPLATE + "\ntimeout = 0"}, "timeout", "0", "positive"),
    ({"view": TEMPLATE + "\nheight = 3"}, "height", "3", "at least 40"),
    ({"view": TEMPLATE + "\nwidth = 3"}, "view", "'width'", "keys among"),
    ({"parameter": "low = 3\nhigh = 2"}, "pitch", "3 and 2", "low < high"),
    ({"parameter": "scale = 'log'"}, "low of pitch", "0", "positive on a log scale"),
    ({"parameter": "scale = 'cubic'"}, "scale of pitch", "'cubic'", "linear, log"),
    ({"parameter": "unti = 'Hz'"}, "parameter", "'unti'", "keys among"),
    ({"parameter": "start = 7"}, "pitch", "7", "from 0 to 1"),
    ({"parameter": "categories = ['one']"}, "categories of pitch", "('one',)", "at least two"),
    ({"parameter": "low = 'none'"}, "pitch", "'none'", "finite numbers"),
]


@pytest.mark.parametrize(("parts", "entry", "value", "allowed"), STUDIES, ids=lambda part: str(part)[:40])
def test_a_wrong_study(parts, entry, value, allowed, tmp_path):
    (tmp_path / "kettle.html").write_text("<p>{{ pitch }}</p>")
    file = tmp_path / "kettle.toml"
    file.write_text(STUDY.format(**{"more": "", "view": TEMPLATE, "parameter": "", **parts}))
    with pytest.raises(ValueError) as caught:
        load_study(file)
    assert_says(str(caught.value), "kettle.toml", entry, value, allowed)


@pytest.mark.parametrize("missing", ["title", "parameters", "view"])
def test_a_study_without(missing, tmp_path):
    parts = {
        "title": 'title = "x"',
        "parameters": "parameters = [{ name = 'a' }]",
        "view": "view = { function = 'a:b' }",
    }
    file = tmp_path / "study.toml"
    file.write_text("\n".join(text for name, text in parts.items() if name != missing))
    with pytest.raises(ValueError) as caught:
        load_study(file)
    assert_says(str(caught.value), "study.toml", missing, "must have")


def test_a_study_that_is_no_toml(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text("title = kettle")
    with pytest.raises(ValueError) as caught:
        load_study(file)
    assert_says(str(caught.value), "study.toml", "line 1", "TOML")


PLANS = [
    ("problems = 'QING'\nalgorithms = ['stp']", "problems", "'QING'", "a list"),
    ("problems = []\nalgorithms = ['stp']", "problems", "[]", "at least one"),
    ("problems = ['QING']", "algorithms", "got problems", "must have"),
    ("problems = ['QINK']\nalgorithms = ['stp']", "problem", "'QINK'", "QING"),
    ("problems = ['suite:papers']\nalgorithms = ['stp']", "suite", "'papers'", "one of paper22"),
    ("problems = ['QING']\nalgorithms = ['stq']", "method", "'stq'", "did you mean 'stp'"),
    ("problems = ['QING']\nalgorithms = ['stp,step']", "option", "'step'", "name=value"),
    ("problems = ['QING']\nalgorithms = ['stp,step=0']", "step", "0", "positive"),
    ("problems = ['QING']\nalgorithms = ['stp,stride=1']", "options of stp", "'stride'", "among step"),
    ("problems = ['QING']\nalgorithms = ['stp']\nbudget = 0", "budget", "0", "at least 1"),
    ("problems = ['QING']\nalgorithms = ['stp']\nbudget = 'all'", "budget", "'all'", "integer"),
    ("problems = ['QING']\nalgorithms = ['stp']\nseeds = 0", "seeds", "0", "at least 1"),
    ("problems = ['QING']\nalgorithms = ['stp']\nseed = 3", "a plan", "'seed'", "keys among"),
    (
        "problems = ['QING']\nalgorithms = ['stp']\noracle = 'noise'",
        "oracle",
        "'noise'",
        "exact, noisy, persistent, logistic",
    ),
    ("problems = ['QING']\nalgorithms = ['stp']\noracle = 'noisy'", "p", "noisy", "must"),
    ("problems = ['QING']\nalgorithms = ['stp']\noracle = 'noisy,p=2'", "p", "2", "from 0.5 to 1"),
    ("problems = ['QING']\nalgorithms = ['stp']\noracle = 'exact,p=.9'", "oracle exact", "'p'", "among jnd"),
    ("problems = ['QING']\nalgorithms = ['stp']\ncheckpoints = [0]", "checkpoints", "0", "at least 1"),
    ("problems = ['QING?N=0']\nalgorithms = ['stp']", "N", "0", "at least"),
    ("problems = ['QING~tilted=1']\nalgorithms = ['stp']", "derived", "'tilted'", "rotated"),
    ("problems = QING", "plan.toml", "line 1", "TOML"),
]


@pytest.mark.parametrize(("text", "entry", "value", "allowed"), PLANS, ids=lambda part: str(part)[-30:])
def test_a_wrong_plan(text, entry, value, allowed, tmp_path):
    file = tmp_path / "plan.toml"
    file.write_text(text)
    with pytest.raises(ValueError) as caught:
        Plan.load(file)
    assert_says(str(caught.value), "plan.toml", entry, value, allowed)
