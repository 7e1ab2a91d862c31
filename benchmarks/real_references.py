"""What the simulations among the real tasks are judged against: Powell's method with the means themselves.

    python benchmarks/real_references.py

Takes minutes. The numbers are written into steelyard/real/simulation.py by hand.
"""

from scipy.optimize import minimize

from steelyard import problems

for name, calls in (("inventory", 150), ("network", 700)):
    task = problems.get(f"real:{name}")
    found = minimize(
        lambda x, task=task: float(task.f(x)),
        task.x0,
        method="Powell",
        bounds=list(zip(*task.bounds, strict=True)),
        options={"maxfev": calls, "xtol": 1e-3, "ftol": 1e-4},
    )
    print(name, "start", task.f(task.x0), "best", found.fun, "at", found.x, flush=True)
