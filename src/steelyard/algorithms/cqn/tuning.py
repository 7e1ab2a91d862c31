"""Every number that CQN works with, in one place, each with its source.

Sources: *derived* follows from a quadratic model; *measured (CUTEst)* was chosen by runs on CUTEst problems rotated
about their start; *measured (f13, n = 5)* on instances 1 to 3 of COCO's bbob, of the functions and in the numbers
of variables named, *measured (bbob)* on all of it in 5 to 20; *measured (toys)* on a few functions made for it,
*measured (bounds)* on those of tests/test_bounds.py; *usual* is a plain value that was never varied.
"""

from dataclasses import dataclass, field
from typing import Any


def _of(default: Any, source: str, what: str) -> Any:
    """A constant with its source and its meaning, which `explain` reads."""
    return field(default=default, metadata={"source": source, "what": what})


@dataclass(frozen=True)
class Tuning:
    """The constants of CQN. Nobody needs to change them; `explain()` says what each is and where it comes from."""

    in_flight: int = _of(1, "usual", "questions open at a time where each depends on the last; `CQN.batch` sets it")

    # --- the first phase: signs
    first_step: float = _of(0.1, "measured (CUTEst)", "the length h of the first move along a coordinate, in scales")
    first_length: float = _of(0.5, "measured (CUTEst)", "the first step of the sign phase, in h sqrt(n)")
    first_radius: float = _of(0.3, "measured (CUTEst)", "the first probe radius of the sign phase, in h")
    sign_steps: float = _of(0.7, "measured (CUTEst)", "sign steps per variable")
    halves_from: int = _of(
        32, "measured (CUTEst; bbob)", "the fewest variables for steps along every other coordinate in turn"
    )
    least_sign_steps: int = _of(8, "measured (CUTEst)", "the fewest sign steps")
    most_sign_steps: int = _of(64, "measured (CUTEst)", "the most sign steps")
    sign_bits: int = _of(2, "measured (CUTEst)", "bits of a line search in the sign phase")
    sign_shrinks: int = _of(8, "usual", "how often a line search of the sign phase shortens its step before it fails")
    sign_failed: float = _of(0.02, "measured (CUTEst)", "step and radius are multiplied by this after such a failure")
    longer: float = _of(1.08, "measured (CUTEst)", "a coordinate's weight times this if its sign stays (as in Rprop)")
    shorter: float = _of(0.87, "measured (CUTEst)", "a coordinate's weight times this if its sign turns (as in Rprop)")
    lookbacks: tuple[int, ...] = _of(
        (2, 4, 8), "measured (CUTEst)", "the search also follows the way from this many steps ago to x"
    )
    lookback_from: int = _of(16, "derived", "the fewest variables for that: in fewer a step costs no more")
    follow: float = _of(0.25, "measured (CUTEst)", "the first step along such a way, as a part of it")
    sign_widenings: int = _of(10, "usual", "how often the radius grows while everything ties")
    widen: float = _of(4.0, "usual", "the factor by which radius and step then grow")

    # --- do the axes need to be stretched?
    stretch_after: int = _of(8, "usual", "the sign steps after which units are compared")
    stretch_sample: int = _of(16, "usual", "the axes that are asked about first: most functions need no stretch")
    stretch_gallop: int = _of(2, "usual", "lengths are tried in powers of 2 to this power")
    stretch_gallops: int = _of(12, "usual", "the most lengths that are tried")
    stretch_idle: int = _of(3, "usual", "after this many in a row that reach the level along no axis, the look ends")
    stretch_further: int = _of(3, "usual", "lengths are trusted if f is above the level 2 to this power times as far")
    stretch_part: float = _of(0.25, "derived", "the share of axes that must differ after two lengths, to continue")
    stretch_spread: float = _of(0.6, "derived", "the deviation of the lengths, in decades, from which on to stretch")

    # --- the first phase in few variables: lines
    few: int = _of(3, "measured (CUTEst)", "up to this many variables the first phase searches along lines")
    line_step: float = _of(0.5, "measured (CUTEst)", "the first step along each line, in scales")
    line_bits: int = _of(2, "measured (CUTEst)", "bits of these line searches")
    line_close: float = _of(1e-8, "usual", "the move of a round, in scales, at which the second phase takes over")

    # --- a quadratic that fits all answers, in few variables (regional_model.py, model_phase.py)
    model_from: int = _of(2, "usual", "the fewest variables")
    model_random_from: int = _of(
        5, "usual", "in fewer it hears nothing asked along random lines: a run does not depend on the variables' order"
    )
    model_to: int = _of(10, "measured (f6, f8-f14)", "the most variables: a quadratic has n^2 / 2 unknowns")
    model_after: int = _of(4, "measured (f6, f8-f14)", "the sign steps after which the model starts")
    model_unit: float = _of(1 / 12, "measured (f6, f8-f14)", "the least first unit of length, in scales")
    model_slope: float = _of(5.0, "measured (f6, f8-f14)", "how many units away a minimum is expected, per coordinate")
    model_bend: float = _of(1.0, "measured (f6, f8-f14)", "the deviation of H from a multiple of I, times sqrt(n)")
    model_floor: float = _of(0.05, "usual", "eigenvalues of H count as at least this")
    model_radius: float = _of(3.0, "measured (f6, f8-f14)", "the radius of a region, in units times sqrt(n)")
    model_rate: float = _of(3e-3, "measured (f6, f8-f14)", "how often an answer is taken to be wrong")
    model_misfit: float = _of(
        0.03, "measured (f6, f8-f14)", "what no quadratic explains, as a part of the variance expected of a difference"
    )
    model_kept: float = _of(15.0, "measured (f6, f8-f14)", "answers kept per variable ...")
    model_fewest: int = _of(100, "usual", "... but at least this many")
    model_batch: float = _of(0.3, "measured (f6, f8-f14)", "questions per variable between two fits")
    model_trial: int = _of(
        2,
        "measured (f6, f8-f14)",
        "fits after which the minimiser is compared with the best point; 1 up to `few` variables",
    )
    model_lost: int = _of(
        2, "measured (f6, f8-f14)", "trials lost in a row after which the region shrinks; 1 up to `few` variables"
    )
    model_retreats: int = _of(5, "usual", "how often the region shrinks without a trial won before the phase ends")
    model_outside: float = _of(0.6, "measured (f6, f8-f14)", "the part of its radius from which a region grows ...")
    model_wait: float = _of(0.25, "measured (f6, f8-f14)", "... after this many answers per variable")
    model_growths: int = _of(7, "usual", "how often the way to the minimiser is doubled at most")
    model_wider: float = _of(1.5, "usual", "how many times as wide a region becomes at least where f falls beyond it")
    model_known: float = _of(0.3, "measured (f6, f8-f14)", "a minimiser known to this many units makes a region finer")
    model_round: float = _of(5.0, "measured (f6, f8-f14)", "so do eigenvalues of H beyond this, or below its inverse")
    model_widest: float = _of(
        1.0, "measured (bounds)", "a region with a longer unit, in scales, shrinks: it would see what bounds mirror"
    )
    model_most: float = _of(200.0, "usual", "the most answers per variable that the phase takes")

    # --- measuring a gradient
    thresholds: tuple[float, float] = _of(
        (0.9, 1.89), "derived", "the first two thresholds for |g_i|, in mean |g|: terciles"
    )
    gallop: float = _of(2.5, "usual", "the ratio of further thresholds")
    lost: float = _of(
        4.0, "derived", "a component beyond this many times k mean |g| is impossible: k of them make the mean"
    )
    bisections: int = _of(10, "usual", "the most rounds of bisection")
    eps_start: float = _of(0.5, "measured (CUTEst)", "the first relative width to which |g_i| is measured")
    eps: float = _of(0.38, "measured (CUTEst)", "the usual relative width: 2.7 comparisons per column, cosine .97")
    eps_least: float = _of(0.08, "measured (CUTEst)", "the finest width, after steps that fell short")
    many: int = _of(13, "measured (CUTEst)", "in fewer variables gradients are measured more finely, in proportion")
    tie_rounds: int = _of(4, "measured (CUTEst)", "for how many measurements a column that tied is left out")
    finer_failed: float = _of(0.6, "usual", "the factor by which eps shrinks after a line search that failed")
    finer_short: float = _of(0.85, "measured (CUTEst)", "the factor by which eps shrinks after a short step")
    coarser: float = _of(1.1, "measured (CUTEst)", "the factor by which eps grows after a full step")
    settle: float = _of(0.8, "measured (CUTEst)", "the factor by which eps falls from its start to its usual value")
    short_step: float = _of(0.3, "usual", "a step below this part of the expected length is short")
    full_step: float = _of(0.6, "usual", "a step above this part of the expected length is full")

    # --- the ratio of two gradient lengths
    parallel: float = _of(0.97, "derived", "directions of a larger cosine are parallel within the errors of a gradient")
    ratio_to: float = _of(1.1, "measured (CUTEst)", "the factor to which the ratio is found")
    ratio_radius: float = _of(0.5, "measured (CUTEst)", "the radius of the probes for the ratio, in delta sqrt(n)")
    ratio_gallops: int = _of(8, "usual", "the most factors tried, from 2 on")
    ratio_faster: float = _of(1.5, "usual", "how many times as large each of these factors is as the last")
    ratio_most: float = _of(1e6, "usual", "ratios beyond this, or below its inverse, are not trusted")
    ratio_guess: tuple[float, float] = _of(
        (0.1, 3.0), "usual", "the limits of the first guess, which is the last ratio"
    )

    remnant_from: int = _of(
        16, "measured (unimodal)", "the fewest variables in which the part that a direction missed is measured"
    )
    remnants: tuple[float, float] = _of((0.25, 0.8), "derived", "the least and the most of the ratio that it can be")
    remnant_bits: int = _of(2, "usual", "bits to which this part is found")

    # --- the second phase: quasi-Newton steps
    bits: int = _of(1, "measured (unimodal)", "bits of a line search")
    shrinks: int = _of(12, "usual", "how often a line search shortens its step before it fails")
    least_cosine: float = _of(
        0.5, "measured (unimodal)", "y is turned towards s until their cosine is this (damped BFGS)"
    )
    least_learnt: float = _of(0.05, "usual", "a step counts as at least this long in a secant pair")
    no_curvature: float = _of(0.25, "usual", "the curvature learnt from parallel gradients, in that expected")
    no_ratio: float = _of(0.7, "usual", "the factor by which G shrinks at most where no ratio was found")
    rescale_below: float = _of(0.7, "measured (CUTEst)", "two steps shorter than this shrink B to fit")
    rescale_above: float = _of(1.5, "measured (CUTEst)", "two steps longer than this stretch B to fit")
    rescale_most: float = _of(10.0, "usual", "the largest factor by which B is rescaled")
    shortest: float = _of(0.02, "measured (CUTEst)", "radius and next step shrink at once to this part of a step")
    longest: float = _of(3.0, "usual", "the radius grows at once to this part of a step")
    fall: float = _of(0.5, "measured (f13, n = 5)", "a gradient below this part of the last one has fallen")
    falls_gate: int = _of(2, "measured (f13, n = 5)", "falls in a row after which the radius shrinks slowly")
    radius_held: float = _of(0.5, "usual", "the part of itself to which the radius then shrinks at most per step")
    failed: float = _of(0.2, "measured (CUTEst)", "step and radius shrink by this after a line search that failed")
    failures: int = _of(4, "usual", "failures in a row after which B is forgotten")
    resets: int = _of(2, "usual", "how often B is forgotten before the descent ends")
    reset_radius: float = _of(125.0, "derived", "the factor by which both then grow: most of what failures took")
    distinguished: float = _of(0.75, "measured (CUTEst)", "probes widen if a smaller part of the columns does not tie")
    patience: int = _of(2, "usual", "how often they widen if some columns can still be distinguished")
    widenings: int = _of(8, "usual", "how often they widen if none can be distinguished")

    # --- the end of a descent
    close: float = _of(1e-7, "derived", "steps shorter than this part of x change f by no more than its rounding")
    close_failures: int = _of(2, "measured (bbob)", "failures in a row that end a descent with such short steps")
    rounding_step: float = _of(1e-12, "derived", "steps shorter than this part of x are lost in rounding")
    short_in_a_row: int = _of(3, "usual", "steps in a row lost in rounding that end a descent")
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
    bumps_after: int = _of(4, "measured (f3, f4; Steps)", "the sign steps after which bumps are counted")
    plateaus_after: int = _of(8, "measured (Steps, f7)", "and again after this many if neighbours then tie")
    bump_lines: int = _of(4, "measured (bbob, TRIGON2)", "the most lines, or pairs, on which bumps are counted")
    bump_axes_to: int = _of(8, "measured (f15-f17)", "up to this many variables all these lines are along axes")
    bump_steps: int = _of(12, "usual", "the steps of each such line")
    bump_spacing: tuple[float, float] = _of(
        (-1.6, -1.3), "measured (bbob, TRIGON2)", "the length of these steps, in scales, is 10 to a power between these"
    )
    many_bumps: tuple[int, int] = _of(
        (6, 8), "measured (bbob; CUTEst, TRIGON2)", "f is rugged from this many bumps on lines, or on pairs"
    )
    plateau_bumps: int = _of(2, "measured (f7)", "the same if some neighbours on these lines tie and others do not")
    few_bumps: int = _of(2, "measured (f3, f4)", "the same if f is a sum over the coordinates")
    separable_pairs: int = _of(16, "usual", "pairs asked twice to see whether f is a sum over the coordinates")
    separable_width: float = _of(0.2, "usual", "how far the points of these pairs differ, in scales")

    # --- kinks
    erratic: int = _of(6, "measured (f6)", "a descent ends if this many of its last line searches were poor")
    erratic_of: int = _of(16, "usual", "the number of last line searches that are considered")
    poor_step: float = _of(
        0.2, "usual", "a search is poor if it fails or its step is below this part of the expected length"
    )
    tie_probes: int = _of(8, "usual", "axes on which it is first asked whether differences can be seen at all")
    poll_rounds: int = _of(5, "usual", "rounds of trials along the axes in a row that may find nothing")
    poll_longer: float = _of(2.0, "usual", "by what a trial that was better makes the next one along its axis longer")
    poll_shorter: float = _of(0.5, "usual", "by what one that was not makes it shorter; twice before any was better")
    kink_width: float = _of(0.03, "measured (f6)", "the first width of the population after a kink, in scales")
    kink_rest: float = _of(1e-8, "usual", "it ends when its mean moves by less than this part of that width")

    ridge_looks: int = _of(3, "usual", "how often the line through two points at kinks is searched while that helps")
    ridge_width: float = _of(0.03, "usual", "how far from the first point the descent to the second begins, in scales")
    ridge_bits: int = _of(20, "derived", "bits of that search: a ridge is as straight as the two points are exact")

    # --- rugged sums over the coordinates
    sum_reaches: tuple[float, float, float] = _of(
        (0.15, 4.0, 2.6), "measured (f3, f4)", "how far each coordinate is looked along: from, to (scales), ratio"
    )
    bottom_within: float = _of(
        0.05, "measured (f3, f4)", "the bottom is looked for this far around the best of these points, in scales"
    )
    bottom_steps: int = _of(6, "measured (f3, f4)", "steps to that bottom")
    near_reaches: tuple[float, float, float] = _of(
        (0.02, 0.6, 1.4), "measured (f3, f4)", "the points on the way to the next bottom: from, to (scales), ratio"
    )
    near_steps: int = _of(3, "measured (f3, f4)", "steps to the next bottom")
    near_moves: int = _of(8, "usual", "the most moves from bottom to bottom")
    way_part: float = _of(0.6, "measured (f3, f4)", "the first probes for the next bottom, as a part of the way there")
    move_steps: int = _of(6, "measured (f3, f4)", "steps to the next bottom")
    polish_from: float = _of(0.1, "measured (f3, f4)", "the first probes for the last bottom, in ways between bottoms")
    polish_steps: int = _of(19, "derived", "steps to the last bottom: to 2e-6 of a way, 1e-9 of the depth of a basin")
    polish_again: int = _of(14, "usual", "at the end the last bottom is refined again from this many steps back ...")
    polish_last: int = _of(16, "derived", "... and by this many steps: to where f is lost in rounding")
    confirm_reaches: tuple[float, float, float] = _of(
        (0.3, 2.5, 1.4), "measured (f3, f4)", "where another bottom is looked for: from, to (ways), ratio"
    )
    confirm_steps: int = _of(4, "measured (f3, f4)", "steps to that bottom")

    # --- other basins
    far_reaches: tuple[float, float, float] = _of(
        (0.1, 10.0, 1.6), "measured (CUTEst)", "how far each coordinate is looked along: from, to (scales), ratio"
    )
    axis_halvings: int = _of(
        8, "measured (f3, f4)", "bits to which the bottom next to a better point along an axis is found"
    )
    far_jumps: tuple[float, float] = _of(
        (-0.4, 0.2), "measured (f21, f22)", "the length of random jumps is 10 to a power between these, in scales"
    )
    near_jumps: tuple[float, float] = _of((-1.0, 0.0), "measured (CUTEst, TRIGON2)", "the same for the others")
    give_up: float = _of(
        3e-3, "measured (f21, f22; TRIGON2)", "steps below this part of a jump mean that another minimum is near"
    )
    populations_to: int = _of(100, "usual", "up to this many variables populations search rugged landscapes")
    smooth_populations_to: int = _of(3, "measured (f21, f22)", "up to this many they search smooth ones as well")
    population_every: int = _of(6, "usual", "one of this many looks in a row is by a population, the others are jumps")
    population_at: int = _of(1, "measured (f15-f19, n = 5)", "its number in the row; 0 is the look along the axes")
    rugged_every: int = _of(2, "measured (f15-f19; CUTEst, TRIGON2)", "the length of a row on rugged landscapes")
    population_width: float = _of(0.3, "measured (f15-f19, n = 5)", "the first width of a population, in scales")
    smooth_rest: float = _of(0.01, "usual", "a mean that moves by less than this part of the width has come to rest")
    rugged_rest: float = _of(1e-3, "measured (f7, f15-f19)", "the same on rugged landscapes")
    population_parents: float = _of(0.25, "measured (f6, f15-f19)", "the best part of the samples makes the next ones")
    population_rests: int = _of(
        6, "measured (f15-f19)", "how often a population continues at a tenth of the width if f is rugged there"
    )
    rest_look: float = _of(15.0, "derived", "lines at rest have steps of .25 to .75 times the width of the population")
    rest_shrinks: float = _of(0.1, "usual", "the factor by which the width at rest shrinks")
    population_patience: float = _of(30.0, "usual", "a population ends after this many samples per variable ...")
    population_generations: int = _of(10, "usual", "... and this many generations without a better mean")
    population_hope: float = _of(5.0, "measured (f15-f19)", "both times this factor on rugged landscapes")
    population_ties: float = _of(0.3, "measured (f7)", "a population ends if more than this part of its questions ties")
    rugged_size: int = _of(2, "measured (f15-f19)", "the first population on a rugged landscape, in usual sizes")
    population_growths: int = _of(5, "usual", "how often populations grow")
    population_growth: int = _of(2, "usual", "each population is this many times as large as the last (IPOP)")

    def explain(self) -> str:
        """One line per constant: name, value, meaning, source."""
        return "\n".join(
            f"{name} = {getattr(self, name)!r}: {part.metadata['what']} ({part.metadata['source']})"
            for name, part in self.__dataclass_fields__.items()
        )


DEFAULT = Tuning()
