"""Preference learning with a Gaussian process."""

from steelyard.algorithms.preference_gp.method import PreferenceGP

__all__ = ["PreferenceGP"]
