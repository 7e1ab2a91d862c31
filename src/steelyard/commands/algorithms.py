"""`steelyard algorithms`: what can be passed as a method."""

import dataclasses

from rich.console import Console
from rich.table import Table

from steelyard.dialogue import Capabilities
from steelyard.registry import algorithm_class, algorithm_names, summary


def algorithms() -> None:
    """List the methods, ours and those of installed plugins, with a line each."""
    table = Table(box=None, header_style="bold")
    for column in ("method", "what it does", "questions at a time", "options", "presets"):
        table.add_column(column, overflow="fold")
    for name in algorithm_names():
        try:
            make = algorithm_class(name)
        except ValueError as error:  # a broken plugin must not hide the others
            table.add_row(name, f"cannot be loaded: {error}", "", "", "")
            continue
        fields: tuple[dataclasses.Field[object], ...] = (
            dataclasses.fields(make) if dataclasses.is_dataclass(make) else ()
        )
        shown = ", ".join(f"{field.name}={field.default}" for field in fields)
        at_a_time = getattr(make, "capabilities", None)
        several = at_a_time.in_flight if isinstance(at_a_time, Capabilities) else "1"
        table.add_row(name, summary(make), several, shown, ", ".join(getattr(make, "presets", {})))
    Console().print(table)
