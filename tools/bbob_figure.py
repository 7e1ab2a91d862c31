"""The figure of docs/results/bbob.md, from the runs of plans/bbob.toml.

steelyard bench --plan plans/bbob.toml --into docs/results/bbob.md
python tools/bbob_figure.py results/bbob [METHOD ...]

It writes docs/images/bbob.svg: COCO's picture, the share of targets reached against comparisons per variable.
Methods may be named if not all were run.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import matplotlib as mpl

from steelyard.bench.figures import coco_picture
from steelyard.bench.plan import Plan
from steelyard.bench.records import load_plan

ROOT = Path(__file__).parents[1]


def main() -> None:
    folder, *methods = sys.argv[1:] or ["results/bbob"]
    plan = Plan.load(ROOT / "plans" / "bbob.toml")
    if methods:
        caps = {name: cap for name, cap in plan.caps.items() if name in methods}
        plan = replace(plan, algorithms=methods, caps=caps, default="")
    mpl.rcParams["svg.hashsalt"] = "steelyard"
    picture = ROOT / "docs" / "images" / "bbob.svg"
    coco_picture(plan, load_plan(plan, folder), "comparisons").savefig(picture, metadata={"Date": None})
    print(picture)


if __name__ == "__main__":
    main()
