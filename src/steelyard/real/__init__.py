"""Real tasks: games, recorded choices, learned judges, simulations and control, each with the judge that it brings.

A task is not a formula. Its judge answers comparisons by doing something (playing two games, letting two policies run),
and what a run is judged by, f, is measured apart from that and is never shown to a method. The tasks are for testing
only: no method and no setting is chosen by them. Whatever a task needs and is not installed, it is skipped with a
sentence (`tasks.missing`).
"""
