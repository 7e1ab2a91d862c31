"""Pools: the best of a finite set of candidates, or all of them in order, from comparisons."""
