"""BoTorch's EUBO in NumPy."""

import numpy as np

from steelyard import FunctionOracle, Session
from steelyard.bench.others.eubo import FastEUBO, PairwiseModel, fit_pairs


def test_it_finds_a_bowl_and_takes_ties():
    f = FunctionOracle(lambda x: np.square(x - [0.3, 0.7]).sum(axis=-1), vectorized=True, jnd=0.01)
    session = Session(FastEUBO(raw_samples=64, restarts=2), [0.5, 0.5], rng=0, bounds=[(0.0, 1.0)] * 2)
    while session.queries < 16:
        question = session.ask()
        session.tell(f.compare(question.a, question.b))
    assert np.square(session.x - [0.3, 0.7]).sum() < 0.02


def test_hyper_parameters_explain_the_answers_better_than_the_first_guess_and_a_pair_is_worth_its_better_one():
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 20, 2))
    first = np.square(a - 0.4).sum(axis=1) < np.square(b - 0.4).sum(axis=1)
    better, worse = np.where(first[:, None], a, b), np.where(first[:, None], b, a)
    guess = np.log([0.5, 0.5, 1.0])
    model = fit_pairs(better, worse, guess)
    assert model.log_evidence > PairwiseModel(better, worse, guess).log_evidence
    pairs = rng.random((50, 2, 2))
    ends = np.maximum(model.mean(pairs[:, 0]), model.mean(pairs[:, 1]))
    assert (model.expected_best(pairs) >= ends - 1e-9).all()
    same = np.repeat(pairs[:, :1], 2, axis=1)
    np.testing.assert_allclose(model.expected_best(same), model.mean(pairs[:, 0]), atol=1e-4)
