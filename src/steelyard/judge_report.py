"""What a run has learnt about its judge, as a method with a model of the answers states it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class JudgeReport:
    """How a judge answers: estimates, from predictions made before each answer was known."""

    answers: int
    """Answers that the estimates rest on."""
    error_rate: float
    """How often an answer is wrong although the two are far apart."""
    when_close: float
    """The probability that errors depend on closeness, rather than being as frequent for any two."""
    ties: float
    """The share of answers that were "can't tell"."""
    first_bias: float
    """How much more often the first is preferred wrongly than the second: a preference for the first, if positive."""

    def __str__(self) -> str:
        if self.answers < 20:
            return f"too few answers ({self.answers}) to say how the judge errs"
        parts = []
        if self.when_close > 0.5:
            parts.append("the judge errs mostly when the two are close")
        elif self.error_rate < 0.03:
            parts.append("no errors of the judge were noticed")
        else:
            parts.append(f"about {self.error_rate:.0%} of its answers are wrong however far apart the two are")
        if self.ties > 0.005:
            parts.append(f"{self.ties:.0%} were ties")
        if abs(self.first_bias) > 0.1:
            parts.append(f"it prefers the {'first' if self.first_bias > 0 else 'second'}")
        return ", ".join(parts)
