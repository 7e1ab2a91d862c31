"""Every number that CQN works with, in one place, each with its source.

Sources: *derived* follows from a quadratic model; *measured (CUTEst)* was chosen by runs on CUTEst problems rotated
about their start; *measured (f13, n = 5)* on instances 1 to 3 of COCO's bbob, of the functions and in the numbers
of variables named, *measured (bbob)* on all of it in 5 to 20; *measured (toys)* on a few functions made for it,
*measured (bounds)* on those of tests/test_bounds.py; *usual* is a plain value that was never varied.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


def _of(default: Any, source: str, what: str) -> Any:
    """A constant with its source and its meaning, which `explain` reads."""
    return field(default=default, metadata={"source": source, "what": what})


@dataclass(frozen=True)
class Tuning:
    """The constants of CQN. Nobody needs to change them; `explain()` says what each is and where it comes from."""

    in_flight: int = _of(1, "usual", "questions asked at a time where each depends on the last; `CQN.batch` sets it")

    # --- the first phase: signs
    first_step: float = _of(0.1, "measured (CUTEst)", "the length h by which a coordinate first moves, in scales")
    first_length: float = _of(0.5, "measured (CUTEst)", "the first step of the sign phase, in h sqrt(n)")
    first_radius: float = _of(0.3, "measured (CUTEst)", "the first probe radius of the sign phase, in h")
    sign_steps: float = _of(0.7, "measured (CUTEst)", "sign steps per variable")
    halves_from: int = _of(
        32, "measured (CUTEst; bbob)", "the fewest variables for steps along every other coordinate in turn"
    )
    least_sign_steps: int = _of(8, "measured (CUTEst)", "the fewest sign steps")
    most_sign_steps: int = _of(64, "measured (CUTEst)", "the most sign steps")
    sign_bits: int = _of(2, "measured (CUTEst)", "bits of a line search in the sign phase")
    sign_shrinks: int = _of(8, "usual", "how often such a line search shortens its step before it fails")
    sign_failed: float = _of(0.02, "measured (CUTEst)", "by what step and radius are multiplied where it fails")
    longer: float = _of(1.08, "measured (CUTEst)", "a coordinate's weight times this if its sign stays (as in Rprop)")
    shorter: float = _of(0.87, "measured (CUTEst)", "a coordinate's weight times this if its sign turns (as in Rprop)")
    lookbacks: tuple[int, ...] = _of(
        (2, 4, 8), "measured (CUTEst)", "how many steps back the ways begin that are followed"
    )
    lookback_from: int = _of(16, "derived", "the fewest variables to follow ways: in fewer a step costs no more")
    follow: float = _of(0.25, "measured (CUTEst)", "the first part of a way by which it is followed")
    sign_widenings: int = _of(10, "usual", "how often the radius grows where everything ties")
    widen: float = _of(4.0, "usual", "by what radius and step grow where everything ties")

    # --- do the axes need to be stretched?
    stretch_after: int = _of(8, "usual", "after how many sign steps that is asked")
    stretch_sample: int = _of(16, "usual", "how many axes are asked about first: most functions need no stretch")
    stretch_gallop: int = _of(2, "usual", "lengths are tried by powers of 2 to this power")
    stretch_gallops: int = _of(12, "usual", "how many lengths are tried at most")
    stretch_idle: int = _of(3, "usual", "how many in a row that reach the level along no axis end the look")
    stretch_further: int = _of(3, "usual", "lengths are believed if f is above the level 2 to this power as far away")
    stretch_part: float = _of(0.25, "derived", "the share of the axes that must differ after two lengths, to go on")
    stretch_spread: float = _of(0.6, "derived", "the deviation of the lengths, in decades, from which on to stretch")

    # --- the first phase in few variables: lines
    few: int = _of(3, "measured (CUTEst)", "up to how many variables the first phase searches lines")
    line_step: float = _of(0.5, "measured (CUTEst)", "the first step along each line, in scales")
    line_bits: int = _of(2, "measured (CUTEst)", "bits of these line searches")
    line_close: float = _of(1e-8, "usual", "the move of a round, in scales, at which the second phase takes over")

    # --- a quadratic that fits all answers, in few variables (regional_model.py, model_phase.py)
    model_from: int = _of(2, "usual", "the fewest variables")
    model_random_from: int = _of(
        5, "usual", "in fewer it hears nothing asked along random lines: a run does not depend on the variables' order"
    )
    model_to: int = _of(10, "measured (f6, f8-f14)", "the most variables: a quadratic has n^2 / 2 unknowns")
    model_after: int = _of(4, "measured (f6, f8-f14)", "after how many sign steps")
    model_unit: float = _of(1 / 12, "measured (f6, f8-f14)", "the first unit of length, in scales, at least")
    model_slope: float = _of(5.0, "measured (f6, f8-f14)", "how many units away a minimum is expected, per coordinate")
    model_bend: float = _of(1.0, "measured (f6, f8-f14)", "the deviation of H from a multiple of I, times sqrt(n)")
    model_floor: float = _of(0.05, "usual", "eigenvalues of H count as at least this")
    model_radius: float = _of(3.0, "measured (f6, f8-f14)", "the radius of a region, in units times sqrt(n)")
    model_rate: float = _of(3e-3, "measured (f6, f8-f14)", "how often an answer is taken to be wrong")
    model_misfit: float = _of(
        0.03, "measured (f6, f8-f14)", "what no quadratic explains, in the variance expected of a difference"
    )
    model_kept: float = _of(15.0, "measured (f6, f8-f14)", "answers kept per variable ...")
    model_fewest: int = _of(100, "usual", "... but at least this many")
    model_batch: float = _of(0.3, "measured (f6, f8-f14)", "questions per variable between two fits")
    model_trial: int = _of(
        2,
        "measured (f6, f8-f14)",
        "after how many fits the minimiser is compared with the best; up to `few` variables after each",
    )
    model_lost: int = _of(
        2,
        "measured (f6, f8-f14)",
        "... trials lost in a row after which the region shrinks; both 1 up to `few` variables",
    )
    model_retreats: int = _of(5, "usual", "how often it does without a trial won before the phase ends")
    model_outside: float = _of(0.6, "measured (f6, f8-f14)", "the part of the radius from which on a region grows ...")
    model_wait: float = _of(0.25, "measured (f6, f8-f14)", "... once this many answers per variable have come")
    model_growths: int = _of(7, "usual", "how often the way to the minimiser is doubled at most")
    model_known: float = _of(0.3, "measured (f6, f8-f14)", "a minimiser known to this many units makes a region finer")
    model_round: float = _of(5.0, "measured (f6, f8-f14)", "so do eigenvalues of H beyond this, or below its inverse")
    model_widest: float = _of(
        1.0, "measured (bounds)", "a region of a longer unit, in scales, shrinks: it sees what bounds mirror"
    )
    model_most: float = _of(200.0, "usual", "the most answers per variable that the phase takes")

    # --- measuring a gradient
    thresholds: tuple[float, float] = _of(
        (0.9, 1.89), "derived", "the first two thresholds for |g_i|, in mean |g|: terciles"
    )
    gallop: float = _of(2.5, "usual", "the ratio of further thresholds")
    lost: float = _of(
        4.0, "derived", "a component beyond this many times k mean |g| cannot be: k of them make the mean"
    )
    bisections: int = _of(10, "usual", "the most rounds of bisection")
    eps_start: float = _of(0.5, "measured (CUTEst)", "the first relative width to which |g_i| is measured")
    eps: float = _of(0.38, "measured (CUTEst)", "the usual relative width: 2.7 comparisons per column, cosine .97")
    eps_least: float = _of(0.08, "measured (CUTEst)", "the finest width, after steps that fell short")
    many: int = _of(13, "measured (CUTEst)", "in fewer variables gradients are measured more finely, in proportion")
    tie_rounds: int = _of(4, "measured (CUTEst)", "for how many measurements a column rests that tied")
    finer_failed: float = _of(0.6, "usual", "by what eps shrinks after a line search that failed")
    finer_short: float = _of(0.85, "measured (CUTEst)", "by what eps shrinks after a short step")
    coarser: float = _of(1.1, "measured (CUTEst)", "by what eps grows after a full step")
    settle: float = _of(0.8, "measured (CUTEst)", "by what eps falls from its start to its usual value")
    short_step: float = _of(0.3, "usual", "a step below this part of the expected length is short")
    full_step: float = _of(0.6, "usual", "a step above this part of the expected length is full")

    # --- the ratio of two gradient lengths
    parallel: float = _of(0.97, "derived", "directions of a larger cosine are parallel within the errors of a gradient")
    ratio_to: float = _of(1.1, "measured (CUTEst)", "the factor to which the ratio is found")
    ratio_radius: float = _of(0.5, "measured (CUTEst)", "the radius of these probes, in delta sqrt(n)")
    ratio_gallops: int = _of(8, "usual", "the most factors tried; they grow from 2 by 1.5")
    ratio_most: float = _of(1e6, "usual", "ratios beyond this, or below its inverse, are not believed")
    ratio_guess: tuple[float, float] = _of(
        (0.1, 3.0), "usual", "the limits of the first guess, which is the last ratio"
    )

    remnant_from: int = _of(
        16, "measured (unimodal)", "the fewest variables in which it is asked what a direction has missed"
    )
    remnants: tuple[float, float] = _of((0.25, 0.8), "derived", "that is at least and at most so much of the ratio")
    remnant_bits: int = _of(2, "usual", "to how many bits that is found")

    # --- the second phase: quasi-Newton steps
    bits: int = _of(1, "measured (unimodal)", "bits of a line search")
    shrinks: int = _of(12, "usual", "how often a line search shortens its step before it fails")
    least_cosine: float = _of(
        0.5, "measured (unimodal)", "y is turned towards s until their cosine is this (damped BFGS)"
    )
    least_learnt: float = _of(0.05, "usual", "a step counts as at least this long in a secant pair")
    no_curvature: float = _of(0.25, "usual", "the curvature, in that expected, learnt from parallel gradients")
    no_ratio: float = _of(0.7, "usual", "by what G shrinks at most where no ratio was found")
    rescale_below: float = _of(0.7, "measured (CUTEst)", "two steps shorter than this shrink B to fit")
    rescale_above: float = _of(1.5, "measured (CUTEst)", "two steps longer than this stretch B to fit")
    rescale_most: float = _of(10.0, "usual", "the largest factor of such a fit")
    shortest: float = _of(0.02, "measured (CUTEst)", "the part of a step to which radius and next step shrink at once")
    longest: float = _of(3.0, "usual", "the part of a step to which the radius grows at once")
    fall: float = _of(0.5, "measured (f13, n = 5)", "a gradient below this part of the last one has fallen")
    falls_gate: int = _of(2, "measured (f13, n = 5)", "after this many falls in a row the radius shrinks slowly")
    radius_held: float = _of(0.5, "usual", "the part of itself to which the radius then shrinks at most per step")
    failed: float = _of(0.2, "measured (CUTEst)", "by what step and radius shrink after a line search that failed")
    failures: int = _of(4, "usual", "failures in a row after which B is forgotten")
    resets: int = _of(2, "usual", "how often B is forgotten before the descent ends")
    reset_radius: float = _of(125.0, "derived", "by what radius and step grow then: most of what failures took")
    told: float = _of(0.75, "measured (CUTEst)", "if less than this part of the columns can be told, probes widen")
    patience: int = _of(2, "usual", "how often they do if some still can be told")
    widenings: int = _of(8, "usual", "how often they do if nothing can be told")

    # --- the end of a descent
    close: float = _of(1e-7, "derived", "steps shorter than this part of x change f by no more than its rounding")
    close_failures: int = _of(2, "measured (bbob)", "failures in a row that end a descent whose steps are so short")
    told_apart: float = _of(1e-12, "derived", "steps shorter than this part of x are lost in rounding")
    short_in_a_row: int = _of(3, "usual", "how many such steps end a descent")
    evidence: float = _of(
        0.35,
        "measured (toys)",
        "a minimum is claimed if the gradient fell by at least this power of what the steps fell by",
    )
    wide_looks: tuple[float, ...] = _of(
        (0.1, 1e-2, 1e-4), "usual", "the radii of the wide looks after a descent, in scales"
    )
    wide_shrinks: int = _of(4, "usual", "how often their line searches shorten the step before they fail")

    # --- is it rugged?
    bumps_after: int = _of(4, "measured (f3, f4; Steps)", "after how many sign steps that is asked")
    plateaus_after: int = _of(
        8, "measured (Steps, f7)", "and again after this many, if there are, where neighbours tie"
    )
    bump_lines: int = _of(4, "measured (bbob, TRIGON2)", "the most lines, or pairs, on which bumps are counted")
    bump_axes_to: int = _of(8, "measured (f15-f17)", "up to how many variables all of them are along axes")
    bump_steps: int = _of(12, "usual", "the steps of each line")
    bump_spacing: tuple[float, float] = _of(
        (-1.6, -1.3), "measured (bbob, TRIGON2)", "these steps are 10 to a power between these long, in scales"
    )
    many_bumps: tuple[int, int] = _of(
        (6, 8), "measured (bbob; CUTEst, TRIGON2)", "the bumps on lines, or on pairs, from which on f is rugged"
    )
    plateau_bumps: int = _of(2, "measured (f7)", "the same where some neighbours on these lines tie and others do not")
    few_bumps: int = _of(2, "measured (f3, f4)", "those from which on it is if it is a sum over the coordinates")
    separable_pairs: int = _of(16, "usual", "pairs asked twice to see whether f is a sum over the coordinates")
    separable_width: float = _of(0.2, "usual", "how far these points differ, in scales")

    # --- kinks
    erratic: int = _of(6, "measured (f6)", "of the last line searches this many that are poor end a descent")
    erratic_of: int = _of(16, "usual", "how many of the last line searches that looks at")
    poor_step: float = _of(
        0.2, "usual", "a step below this part of the expected length is poor, or a search that fails"
    )
    tie_probes: int = _of(8, "usual", "axes along which it is asked before whether differences can be seen at all")
    kink_width: float = _of(0.03, "measured (f6)", "the first width of the population that then goes on, in scales")
    kink_rest: float = _of(1e-8, "usual", "the part of it by which its mean moves at the end")

    ridge_looks: int = _of(3, "usual", "how often the line through two points at kinks is searched while that helps")
    ridge_width: float = _of(0.03, "usual", "how far from the first of them a descent to the second begins, in scales")
    ridge_bits: int = _of(20, "derived", "bits of that search: a ridge is as straight as the two points are exact")

    # --- rugged sums over the coordinates
    sum_reaches: tuple[float, float, float] = _of(
        (0.15, 4.0, 2.6), "measured (f3, f4)", "how far each coordinate is looked along: from, to (scales), ratio"
    )
    bottom_within: float = _of(
        0.05, "measured (f3, f4)", "how far around the best of these the bottom next to it is looked for, in scales"
    )
    bottom_steps: int = _of(6, "measured (f3, f4)", "steps to that bottom")
    near_reaches: tuple[float, float, float] = _of(
        (0.02, 0.6, 1.4), "measured (f3, f4)", "the points on the way to the next bottom: from, to (scales), ratio"
    )
    near_steps: int = _of(3, "measured (f3, f4)", "steps to the next bottom")
    near_moves: int = _of(8, "usual", "how often from bottom to bottom")
    way_part: float = _of(0.6, "measured (f3, f4)", "the first probes for it, as a part of the way there")
    move_steps: int = _of(6, "measured (f3, f4)", "steps to it")
    polish_from: float = _of(0.1, "measured (f3, f4)", "the first probes for the last bottom, in ways between bottoms")
    polish_steps: int = _of(19, "derived", "steps to it: to 2e-6 of a way, 1e-9 of the depth of a basin")
    polish_again: int = _of(14, "usual", "at the end it is looked for again from this many steps before")
    polish_last: int = _of(16, "derived", "and by this many steps: to where f is lost in rounding")
    confirm_reaches: tuple[float, float, float] = _of(
        (0.3, 2.5, 1.4), "measured (f3, f4)", "where a next bottom is looked for again: from, to (ways), ratio"
    )
    confirm_steps: int = _of(4, "measured (f3, f4)", "steps to it")

    # --- other basins
    far_reaches: tuple[float, float, float] = _of(
        (0.1, 10.0, 1.6), "measured (CUTEst)", "how far each coordinate is looked along: from, to (scales), ratio"
    )
    axis_halvings: int = _of(
        8, "measured (f3, f4)", "to how many bits the bottom next to a better point along an axis is found"
    )
    far_jumps: tuple[float, float] = _of(
        (-0.4, 0.2), "measured (f21, f22)", "random jumps go by 10 to the power of these, in scales"
    )
    near_jumps: tuple[float, float] = _of((-1.0, 0.0), "measured (CUTEst, TRIGON2)", "and by these, in turn")
    give_up: float = _of(
        3e-3, "measured (f21, f22; TRIGON2)", "steps below this part of a jump mean that another minimum is near"
    )
    populations_to: int = _of(100, "usual", "up to how many variables populations search rugged landscapes")
    smooth_populations_to: int = _of(3, "measured (f21, f22)", "up to how many they search smooth ones as well")
    population_every: int = _of(6, "usual", "of this many looks in a row one is by a population, the others by jumps")
    population_at: int = _of(1, "measured (f15-f19, n = 5)", "which of them it is; the look along the axes is number 0")
    rugged_every: int = _of(2, "measured (f15-f19; CUTEst, TRIGON2)", "the same on rugged landscapes")
    population_width: float = _of(0.3, "measured (f15-f19, n = 5)", "the first width of a population, in scales")
    smooth_rest: float = _of(0.01, "usual", "a mean that moves by less than this part of it has come to rest")
    rugged_rest: float = _of(1e-3, "measured (f7, f15-f19)", "the same on rugged landscapes")
    population_parents: float = _of(0.25, "measured (f6, f15-f19)", "the best part of its samples makes the next ones")
    population_rests: int = _of(
        6, "measured (f15-f19)", "how often a population goes on at a tenth of the width where f is rugged there"
    )
    rest_look: float = _of(15.0, "derived", "lines there have steps of .25 to .75 times the width of the population")
    rest_shrinks: float = _of(0.1, "usual", "by what the width shrinks at which it rests")
    population_patience: float = _of(30.0, "usual", "a population ends after this many samples per variable")
    population_generations: int = _of(10, "usual", "and this many generations without a better mean")
    population_hope: float = _of(5.0, "measured (f15-f19)", "how many times as many on rugged landscapes")
    population_ties: float = _of(0.3, "measured (f7)", "it ends where more than this part of its questions ties")
    rugged_size: int = _of(2, "measured (f15-f19)", "the first on a rugged landscape is so many times the usual size")
    population_growths: int = _of(5, "usual", "how often they grow")
    population_growth: int = _of(2, "usual", "each population is this many times as large as the last (IPOP)")

    def explain(self) -> str:
        """One line per constant: name, value, meaning, source."""
        return "\n".join(
            f"{name} = {getattr(self, name)!r}: {part.metadata['what']} ({part.metadata['source']})"
            for name, part in self.__dataclass_fields__.items()
        )


DEFAULT = Tuning()
