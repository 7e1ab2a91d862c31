"""The sampler of steelyard, for OptunaHub."""

from steelyard.bridges.optuna_sampler import ComparisonSampler

__all__ = ["ComparisonSampler"]
