"""What the library raises on purpose. All are a `SteelyardError`; a wrong value is also a ValueError, a wrong type a
TypeError, as anywhere in Python."""


class SteelyardError(Exception):
    """The base of every error that the library raises on purpose."""


class BadValue(SteelyardError, ValueError):
    """An argument, an option or an answer has a value that is not allowed."""


class BadType(SteelyardError, TypeError):
    """An argument, an option or an answer is not of an allowed type."""


class ReplayError(BadValue):
    """A log of answers does not belong to this algorithm, start and seed."""


class OutOfAnswers(SteelyardError):
    """Raised by an oracle that will answer no more: a run ends there with its result, as if its budget were used."""
