"""The paper we build on, run again: its plans, its claims judged by the data, its report."""
