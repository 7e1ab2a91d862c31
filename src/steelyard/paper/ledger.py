"""A ledger of claims: each is split into checks, each check is computed from data, and the verdict is their count."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from steelyard.paper.evidence import Evidence

ClaimStatus = Literal["holds", "holds in part", "does not hold", "not measured"]


class Check(NamedTuple):
    """One measurable consequence of a claim."""

    text: str
    """What was measured, with its numbers."""
    holds: bool


@dataclass(frozen=True)
class Claim:
    """A statement of the paper and how to test it."""

    where: str
    statement: str
    test: Callable[[Evidence], Iterable[Check]]
    budget: int = 10_000
    """The budget it is about: a programme with a smaller one cannot say."""


@dataclass(frozen=True)
class Finding:
    """A claim, tested."""

    claim: Claim
    checks: tuple[Check, ...]

    @property
    def verdict(self) -> ClaimStatus:
        if not self.checks:
            return "not measured"
        held = sum(check.holds for check in self.checks)
        if held == len(self.checks):
            return "holds"
        return "holds in part" if held else "does not hold"

    @property
    def score(self) -> str:
        return f"{sum(check.holds for check in self.checks)} of {len(self.checks)}" if self.checks else ""


def judge(claims: Iterable[Claim], evidence: Evidence) -> list[Finding]:
    """Every claim with its checks; one about a larger budget than was run has none."""
    return [
        Finding(claim, tuple(claim.test(evidence)) if claim.budget <= evidence.programme.budget else ())
        for claim in claims
    ]
