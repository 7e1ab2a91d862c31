"""The settings of a result as people read them."""

from typing import Any

from steelyard.space import Space


def settings_table(space: Space, result: dict[str, Any]) -> list[dict[str, Any]]:
    """A row per parameter: as many digits as the interval justifies, categories with shares."""
    rows = []
    certainty = result["certainty"]
    for parameter in space.parameters:
        name = parameter.name
        row: dict[str, Any] = {"label": parameter.label}
        low, high = certainty["interval"][name] if certainty else (None, None)
        width = high - low if isinstance(low, float) and isinstance(high, float) else None
        for key in ("best", "start"):
            value = result[key][name]
            row[key] = parameter.text(value) if width is None else parameter.text_within(value, width)
        if name in result["categories"]:
            shares = sorted(result["categories"][name].items(), key=lambda item: -item[1])
            row["shares"] = [(category, f"{share:.0%}") for category, share in shares]
        elif low is not None and high is not None:
            row |= {"low": parameter.text_within(low, width), "high": parameter.text_within(high, width)}
        rows.append(row)
    return rows
