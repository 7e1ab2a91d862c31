"""The Optuna sampler against Optuna itself."""

import numpy as np
import pytest

from steelyard.errors import BadValue

optuna = pytest.importorskip("optuna")
from steelyard.bridges.optuna_sampler import ComparisonSampler  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)
SPACE = {name: optuna.distributions.FloatDistribution(-5.0, 5.0) for name in ("x", "y")}


def bowl(trial):
    x, y = trial.suggest_float("x", -5, 5), trial.suggest_float("y", -5, 5)
    return (x - 1) ** 2 + 2 * (y + 2) ** 2


def optimised(objective, trials, direction="minimize", **settings):
    study = optuna.create_study(direction=direction, sampler=ComparisonSampler(seed=3, **settings))
    study.optimize(objective, n_trials=trials)
    return study


@pytest.mark.parametrize("settings", [{}, {"space": SPACE, "method": "cqn"}], ids=["define by run", "space given"])
def test_it_finds_a_minimum(settings):
    assert optimised(bowl, 60, **settings).best_value < 0.01


def test_it_sees_the_order_only():
    paths = [
        [trial.params for trial in optimised(objective, 25, direction).trials]
        for objective, direction in (
            (bowl, "minimize"),
            (lambda trial: 1e6 * bowl(trial) ** 3, "minimize"),
            (lambda trial: -np.log1p(bowl(trial)), "maximize"),
        )
    ]
    assert paths[0] == paths[1] == paths[2]


def test_kinds_of_parameters_are_respected():
    def objective(trial):
        trial.suggest_categorical("only", ["one"])
        width = trial.suggest_int("width", 3, 12, step=3)
        rate = trial.suggest_float("rate", 1e-4, 1.0, log=True)
        share = trial.suggest_float("share", 0.0, 1.0, step=0.25)
        kind = trial.suggest_categorical("kind", ["a", None, True])
        assert width in (3, 6, 9, 12) and share in (0.0, 0.25, 0.5, 0.75, 1.0)
        return abs(width - 9) + abs(np.log10(rate) + 2) + abs(share - 0.75) + (kind is not None)

    best = optimised(objective, 100).best_params
    assert best["width"] == 9 and best["kind"] is None


def test_a_trial_that_fails_loses():
    def objective(trial):
        value = bowl(trial)
        if trial.params["x"] < 0:
            raise optuna.TrialPruned if trial.number % 2 else ValueError("no such thing")
        return value

    study = optuna.create_study(sampler=ComparisonSampler(SPACE, seed=0))
    study.optimize(objective, n_trials=60, catch=(ValueError,))
    assert study.best_value < 0.1


def test_it_goes_on_from_the_storage():
    whole = optimised(bowl, 30)
    storage = optuna.storages.InMemoryStorage()
    for i in range(3):  # three processes, as it were: each with a sampler of its own
        sampler = ComparisonSampler(seed=3)
        study = optuna.create_study(storage=storage, study_name="one", sampler=sampler, load_if_exists=i > 0)
        study.optimize(bowl, n_trials=10)
    differ = [a.params != b.params for a, b in zip(whole.trials, study.trials, strict=True)]
    assert not any(differ)


def test_people_compare_trials():
    sampler = ComparisonSampler(SPACE, answers="preferences", method="pattern-search", seed=1)
    study = optuna.create_study(sampler=sampler)
    for _ in range(30):
        first, second = sampler.pair(study)
        assert sampler.pair(study) == (first, second)  # asking twice asks the same
        a, b = ((t.params["x"] - 1) ** 2 + 2 * (t.params["y"] + 2) ** 2 for t in (first, second))
        sampler.tell(study, first, second, int(a < b) - int(b < a))
    found = sampler.recommend(study)
    assert np.hypot(found["x"] - 1, found["y"] + 2) < 0.5
    assert all(trial.value is None for trial in study.trials)


def test_many_at_once_do_not_wait_for_each_other():
    study = optuna.create_study(sampler=ComparisonSampler(SPACE, seed=0))
    open_trials = [study.ask(SPACE) for _ in range(6)]
    assert len({tuple(trial.params.values()) for trial in open_trials}) == 6
    for trial in reversed(open_trials):
        study.tell(trial, bowl(trial))
    study.optimize(bowl, n_trials=50)
    assert study.best_value < 0.1


def test_mistakes_are_said_at_once():
    with pytest.raises(BadValue, match="space must be given"):
        ComparisonSampler(answers="preferences")
    with pytest.raises(BadValue, match="method must be one of"):
        ComparisonSampler(method="cq")
    with pytest.raises(BadValue, match="answers must be 'preferences'"):
        ComparisonSampler().pair(optuna.create_study())
