"""Progress of a benchmark: a bar with rates and time left on a terminal, nothing elsewhere."""

import contextlib
import time
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from steelyard.bench.cell import Record


@contextlib.contextmanager
def progress_bar(console: Console) -> Iterator[Callable[[int, int], Callable[[list[Record]], None]] | None]:
    """What `run(progress=...)` takes; None if the console is no terminal."""
    if not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("runs"),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(compact=True),
    )
    with Progress(*columns, console=console, transient=True) as bar:

        def start(todo: int, total: int) -> Callable[[list[Record]], None]:
            task = bar.add_task("benchmark", total=total, completed=total - todo, rate="")
            began, asked = time.monotonic(), 0

            def report(records: list[Record]) -> None:
                nonlocal asked
                asked += sum(record.get("queries", 0) for record in records)
                rate = asked / max(time.monotonic() - began, 1e-9)
                bar.update(task, advance=len(records), rate=f"{rate:,.0f} queries/s" if asked else "")

            return report

        yield start
