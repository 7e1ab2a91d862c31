"""Every option of every method is documented on its own, below its field, where the reference and editors find it."""

from __future__ import annotations

import ast
import inspect
from dataclasses import fields, is_dataclass
from itertools import pairwise

import pytest

from steelyard import registry
from steelyard.bench.methods import OTHERS

METHODS = {**registry.algorithm_names(), **OTHERS}


def documented(kind):
    """The fields of a class that have a docstring below them."""
    tree = ast.parse(inspect.cleandoc(inspect.getsource(kind)))
    body = tree.body[0].body
    return {
        node.target.id
        for node, below in pairwise(body)
        if isinstance(node, ast.AnnAssign)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    }


@pytest.mark.parametrize("name", METHODS)
def test_each_field_has_a_docstring(name):
    kind = registry.algorithm_class(METHODS[name])
    assert is_dataclass(kind)
    assert {field.name for field in fields(kind)} <= documented(kind)


@pytest.mark.parametrize("name", registry.algorithm_names())
def test_the_first_step_length_has_one_name(name):
    names = {field.name for field in fields(registry.algorithm_class(name))}
    assert not names & {"sigma", "R", "size", "alpha0", "initial_step"}
