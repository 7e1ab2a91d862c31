"""The page about a search: what it found, how it got there, which parameters mattered."""

from pathlib import Path

from steelyard.bench import page, plots
from steelyard.bench.search import Tuned


def search_report(tuned: Tuned, method: str, out: str | Path) -> Path:
    """Write OUT/report/index.html; returns its path."""
    out = Path(out)
    rows = [
        [spec, *(f"{scores[spec]:.3f}" for scores in (tuned.train, tuned.test))] for spec in dict.fromkeys(tuned.train)
    ]
    seen = tuned.against_best_seen
    parts = [
        page.paragraph(
            f"{len(tuned.trials)} settings of {method}; the first is the method as given. "
            f"{tuned.contradictory} proposals that the method refuses were replaced by others."
        ),
        page.heading("Found"),
        page.paragraph(
            "The mean log10 of the relative gap that is left (lower is better), on the problems of the search and on "
            f"those held out: {', '.join(tuned.test_problems)}."
        ),
        page.table(["settings", "search", "held out"], rows),
        *(
            [page.paragraph(f"Against the best value that any trial saw, as f* is not known: {', '.join(seen)}.")]
            if seen
            else []
        ),
        page.heading("History"),
        page.image(
            plots.save(plots.search_history([each[1] for each in tuned.trials]), out / "report" / "figures", "history"),
            "The score of each trial (dots), and the best so far (line).",
        ),
        page.heading("Importance of the parameters"),
        page.paragraph("The share of each in what distinguishes the good trials from the rest (PED-ANOVA).", soft=True),
        page.table(["parameter", "share"], [[name, f"{share:.2f}"] for name, share in tuned.importance.items()]),
        page.heading("All trials"),
        page.table(
            ["trial", "settings", "score"],
            [
                [str(i + 1), spec, f"{'*' if spec == tuned.spec else ''}{value:.3f}"]
                for i, (spec, value) in enumerate(tuned.trials)
            ],
            (0, 1),
        ),
    ]
    return page.write_report(out, f"Tuning {method}", parts)
