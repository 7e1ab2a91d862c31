"""A study: what is varied, what people are asked, and how a candidate is shown. A TOML file, or the same in Python."""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from steelyard.checks import check_among, check_between, check_choice, check_positive, check_whole
from steelyard.dialogue import Algorithm, Choose, Compare, Past, Resumable
from steelyard.errors import BadValue
from steelyard.registry import algorithm_class, make_algorithm, option_names
from steelyard.session import Session
from steelyard.space import Space, Value
from steelyard.studies.people import Consent, Item, Limits, Panel
from steelyard.studies.pool_method import PoolMethod
from steelyard.toml_file import read_toml

LANGUAGES = ("en", "de", "fr", "es", "zh")
ITEM = "item"
"""The one parameter of a study of finished candidates."""
VIEW_TYPES = {
    "html": "text/html; charset=utf-8", "svg": "image/svg+xml", "png": "image/png", "jpeg": "image/jpeg",
    "webp": "image/webp", "gif": "image/gif", "wav": "audio/wav", "mp3": "audio/mpeg", "mp4": "video/mp4",
    "webm": "video/webm", "text": "text/plain; charset=utf-8",
}  # fmt: skip
"""What a candidate can be, and what a browser is told of it."""
FILE_TYPES = {f".{name}": name for name in VIEW_TYPES if name != "text"} | {
    ".jpg": "jpeg", ".htm": "html", ".txt": "text", ".md": "text"
}  # fmt: skip
"""What a file is by its ending."""


@dataclass(frozen=True)
class View:
    """How a candidate becomes something to look at or listen to: exactly one of template, function, command and files.

    template: an HTML or SVG file in the study's folder, filled with the parameters (`{{ hue }}`), which are escaped.
    function: `module:function`, called with the parameters by name; returns bytes or text of `type`.
    command: a list of words; `{name}` becomes a parameter's value and `{output}` the file that it must write.
    files: the file in the study's folder that shows each item, by the item's name; made from `[[items]]`.
    """

    template: str = ""
    function: str = ""
    command: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    type: str = "html"
    scripts: bool = False
    height: int = 420
    timeout: float = 20.0
    reference: Mapping[str, Value] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "command", tuple(self.command))
        given = [name for name in ("template", "function", "command", "files") if getattr(self, name)]
        if len(given) != 1:
            raise BadValue(f"view must have exactly one of template, function, command, got {given or 'none'}")
        for name in self.files.values():
            check_choice(f"the ending of the file {name}", Path(name).suffix.lower(), tuple(FILE_TYPES))
        check_choice("type of the view", self.type, tuple(VIEW_TYPES))
        check_positive("timeout of the view", self.timeout)
        check_whole("height of the view", self.height, 40)
        if self.command and not any("{output}" in word for word in self.command):
            raise BadValue(f"command of the view must contain {{output}}, the file to write, got {self.command!r}")
        if self.function and self.function.count(":") != 1:
            raise BadValue(f"function of the view must be written module:function, got {self.function!r}")
        if self.template and self.type not in ("html", "svg", "text"):
            raise BadValue(f"type of a template must be html, svg or text, got {self.type!r}")

    def type_of(self, values: Mapping[str, Value]) -> str:
        """What a candidate is shown as: the type, or of a file what its ending says."""
        return FILE_TYPES[Path(self.files[str(values[ITEM])]).suffix.lower()] if self.files else self.type


@dataclass(frozen=True)
class Raters:
    """Who answers: everyone in a run of their own, or all in one shared run in which votes are combined.

    In a shared run a question is decided by `votes` people: by majority, or sequentially as soon as one side leads by
    `lead` (Wald's test), whichever of the two comes first.
    """

    mode: Literal["own", "shared"] = "own"
    votes: int = 1
    rule: Literal["majority", "sequential"] = "majority"
    lead: int = 2

    def __post_init__(self) -> None:
        check_choice("mode of the raters", self.mode, ("own", "shared"))
        check_choice("rule of the raters", self.rule, ("majority", "sequential"))
        check_whole("votes of the raters", self.votes, 1)
        check_whole("lead of the raters", self.lead, 1)
        if self.mode == "own" and self.votes != 1:
            raise BadValue(f"votes of the raters must be 1 when everyone has a run of their own, got {self.votes}")

    def decide(self, votes: list[int]) -> int | None:
        """The combined answer, or None while more votes are wanted."""
        total, left = sum(votes), self.votes - len(votes)
        lead = self.lead if self.rule == "sequential" else self.votes
        if left <= 0 or abs(total) > left or abs(total) >= lead:
            return (total > 0) - (total < 0)
        return None


@dataclass(frozen=True)
class Study:
    """All that a study is; `folder` is where its templates and modules are found.

    budget: answers that the method learns from. On top of them come `repeats`, a share of the questions that is asked
    again with the sides swapped, `attention`, pairs {good, bad} whose answer is known, and at the end `checks`.
    `before` and `after` are questionnaires; `messages` replace single sentences of the page's `language`.
    """

    title: str
    space: Space
    view: View
    question: str = "Which do you prefer?"
    instructions: str = ""
    method: str = "preference-gp"
    options: Mapping[str, Any] = field(default_factory=dict)
    budget: int = 30
    seed: int = 0
    checks: int = 5
    repeats: float = 0.1
    attention: tuple[Mapping[str, Mapping[str, Value]], ...] = ()
    raters: Raters = field(default_factory=Raters)
    language: str = "en"
    messages: Mapping[str, str] = field(default_factory=dict)
    consent: Consent | None = None
    before: tuple[Item, ...] = ()
    after: tuple[Item, ...] = ()
    panel: Panel = field(default_factory=Panel)
    limits: Limits = field(default_factory=Limits)
    folder: Path = field(default_factory=Path.cwd)

    def __post_init__(self) -> None:
        for name in ("title", "question"):
            if not isinstance(getattr(self, name), str) or not getattr(self, name).strip():
                raise BadValue(f"{name} must be a non-empty string, got {getattr(self, name)!r}")
        check_whole("budget", self.budget, 1)
        check_whole("seed", self.seed, 0)
        check_between("checks", check_whole("checks", self.checks, 0), 0, 100)
        check_between("repeats", self.repeats, 0.0, 0.5)
        self._check_attention()
        check_choice("language", self.language, LANGUAGES)
        if self.view.reference is not None:
            self.space.unit(self.view.reference)
        self._check_paths()
        first = self.session(0).question
        if not isinstance(first, Compare | Choose):
            raise BadValue(f"method must be one that asks people to compare, got {self.method!r}")
        if isinstance(first, Choose) and (self.raters.mode != "own" or not isinstance(self.algorithm, Resumable)):
            raise BadValue(
                'choices among several need everyone in a run of their own ([raters] mode = "own") and a method that '
                f"can resume, got mode {self.raters.mode!r} and {self.method!r}"
            )

    def session(self, seed: int, past: Past | None = None, wanted: int = 0) -> Session:
        """A run of the study's method in the unit box: a fresh one, or one that goes on after `past`.

        `wanted` is how many questions it should ask at once, if it can; 0 leaves it as the options say.
        """
        method = self.algorithm
        if wanted and "batch" in (option_names(type(method)) or []):
            method = dataclasses.replace(method, batch=wanted)  # type: ignore[type-var]  # algorithms are dataclasses
        return Session(method, self.space.start, seed, bounds=self.space.bounds, past=past)

    @property
    def algorithm(self) -> Algorithm:
        """The method with its options and what it wants to know of the space."""
        if self.view.files:
            return PoolMethod(len(self.view.files), **self.options)
        return make_algorithm(self.method, {**self._space_options(), **self.options})

    @cached_property
    def choose(self) -> int:
        """How many things a question of the method is about."""
        return int(getattr(self.algorithm, "choose", 2))

    @property
    def identity(self) -> str:
        """A fingerprint of all on which logged answers depend; wording, view and budget may change in between."""
        parameters = [{k: v for k, v in p.items() if k not in ("label", "unit")} for p in self.space.to_json()]
        parts = [parameters, self.method, dict(self.options), self.seed, dataclasses.asdict(self.raters)]
        return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()

    def _space_options(self) -> dict[str, Any]:
        """What a method that rounds to allowed values wants to know of the space."""
        names = option_names(algorithm_class(self.method)) or []
        known = {"levels": self.space.levels, "categorical": self.space.categorical}
        return {name: value for name, value in known.items() if name in names}

    def _check_attention(self) -> None:
        object.__setattr__(self, "attention", tuple(self.attention))
        for pair in self.attention:
            if not isinstance(pair, Mapping) or set(pair) != {"good", "bad"}:
                raise BadValue(f"attention must be pairs with the keys good and bad, got {pair!r}")
            self.space.unit(pair["good"])
            self.space.unit(pair["bad"])

    def _check_paths(self) -> None:
        for name in self.view.files.values():
            if not path_inside(self.folder, name).is_file():
                raise BadValue(f"file of an item must be a file in the study's folder, got {name!r}")
        if self.view.template and not path_inside(self.folder, self.view.template).is_file():
            raise BadValue(f"template of the view must be a file in the study's folder, got {self.view.template!r}")


def path_inside(folder: Path, name: str) -> Path:
    """The path of a file of the study; refused if it leads out of the study's folder, also through a link."""
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise BadValue(f"a file of the study must lie in its folder, got {name!r}")
    return path


def load_study(path: str | Path) -> Study:
    """Read a study from a TOML file; every error names the file and what is wrong in it."""
    return read_toml("study", path, study_from_dict)


def _with_items(data: Mapping[str, Any]) -> dict[str, Any]:
    """A study of finished candidates, `[[items]]`, as one of a single parameter whose values are their names."""
    items = data["items"]
    if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items) or len(items) < 2:
        raise BadValue(f"items must be at least two tables, [[items]], got {items!r}")
    if "parameters" in data or data.get("method", "pool") != "pool":
        raise BadValue('a study of items must have no parameters, and no method but "pool"')
    files: dict[str, str] = {}
    for item in items:
        check_among("items must have keys among", item, ("file", "name"))
        if not isinstance(item.get("file"), str):
            raise BadValue(f"file of an item must be the name of a file, got {item.get('file')!r}")
        name = item.get("name", Path(item["file"]).stem)
        if not isinstance(name, str) or not name.strip() or name in files:
            raise BadValue(f"name of an item must be a string that no other item has, got {name!r}")
        files[name] = item["file"]
    parameter = {"name": ITEM, "categories": list(files), "start": next(iter(files))}
    rest = {name: value for name, value in data.items() if name != "items"}
    view = data.get("view", {})
    if not isinstance(view, Mapping) or not set(view) <= {"height", "scripts"}:
        raise BadValue(f"view of a study of items must have nothing but height and scripts, got {view!r}")
    return {"method": "pool", **rest, "parameters": [parameter], "view": {**view, "files": files}}


def study_from_dict(data: Mapping[str, Any], folder: Path) -> Study:
    """A study from plain data, in the shape of the TOML file."""
    if "items" in data:
        data = _with_items(data)
    elif isinstance(data.get("view"), Mapping) and "files" in data["view"]:
        raise BadValue("files of the view must be given as [[items]]")
    known = {f.name for f in dataclasses.fields(Study)} - {"space", "folder"} | {"parameters"}
    check_among("a study must have keys among", data, sorted(known))
    for name in ("title", "parameters", "view"):
        if name not in data:
            raise BadValue(f"a study must have {name}")
    sections: dict[str, type[Any]] = {"raters": Raters, "consent": Consent, "panel": Panel, "limits": Limits}
    rest = {name: value for name, value in data.items() if name not in ("parameters", "view", *sections)}
    for name, make in sections.items():
        if name in data:
            rest[name] = _section(make, name, data[name])
    for name in ("before", "after"):
        if not isinstance(data.get(name, []), list):
            raise BadValue(f"{name} must be a list of tables, [[{name}]], got {data[name]!r}")
        rest[name] = tuple(_section(Item, name, item) for item in data.get(name, []))
    return Study(
        space=Space.from_json(data["parameters"]), view=_section(View, "view", data["view"]), folder=folder, **rest
    )


def _section(make: type[Any], name: str, data: object) -> Any:
    if not isinstance(data, Mapping):
        raise BadValue(f"{name} must be a table, [{name}], got {data!r}")
    check_among(f"{name} must have keys among", data, sorted(f.name for f in dataclasses.fields(make)))
    return make(**data)
