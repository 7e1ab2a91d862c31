"""A page that opens from disk: everything it needs is inside it, and nothing is fetched."""

import base64
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

_STYLE = """
:root { color-scheme: light dark; --line: #d7d7d7; --soft: #666; --good: #00734f; --part: #8a5a00; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --line: #444; --soft: #aaa; --good: #4fd1a1; --part: #f0b849; --bad: #ff8a80; }
  figure img { background: #fff; }
}
body { font: 16px/1.55 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.25rem; margin-top: 2.6rem; } h3 { font-size: 1.05rem; }
figure { margin: 1.2rem 0; } figure img { max-width: 100%; height: auto; }
figcaption, .soft { color: var(--soft); font-size: .9rem; }
table { border-collapse: collapse; font-size: .9rem; margin: 1rem 0; }
.wide { overflow-x: auto; }
th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
th:first-child, td:first-child, td.text, th.text { text-align: left; }
th { font-weight: 600; } td.best { font-weight: 700; }
.holds { color: var(--good); font-weight: 600; } .part { color: var(--part); font-weight: 600; }
.not { color: var(--bad); font-weight: 600; } .unmeasured { color: var(--soft); }
pre { padding: .8rem 1rem; border: 1px solid var(--line); border-radius: .3rem; overflow-x: auto; font-size: .85rem; }
details ul { margin: .3rem 0 .3rem 1.1rem; padding: 0; } summary { cursor: pointer; }
"""


__all__ = ["command", "escape", "heading", "image", "page", "paragraph", "table", "write_report"]


def page(title: str, parts: Iterable[str]) -> str:
    """The whole document."""
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>{_STYLE}</style>\n'
        f"<body>\n<main>\n<h1>{escape(title)}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )


def write_report(out: Path, title: str, parts: Iterable[str]) -> Path:
    """Write OUT/report/index.html; returns its path."""
    path = out / "report" / "index.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(title, parts), encoding="utf-8")
    return path


def heading(text: str, level: int = 2) -> str:
    return f"<h{level}>{escape(text)}</h{level}>"


def paragraph(text: str, soft: bool = False) -> str:
    return f'<p class="soft">{escape(text)}</p>' if soft else f"<p>{escape(text)}</p>"


def command(text: str) -> str:
    return f"<pre><code>{escape(text)}</code></pre>"


def image(path: Path, caption: str) -> str:
    """The picture itself, inside the page; the PDF next to it is linked."""
    data = base64.b64encode(path.read_bytes()).decode()
    pdf = f"{path.parent.name}/{path.stem}.pdf"
    return (
        f'<figure><img alt="{escape(caption)}" src="data:image/png;base64,{data}">'
        f'<figcaption>{escape(caption)} <a href="{escape(pdf)}">PDF</a></figcaption></figure>'
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]], text_columns: Sequence[int] = (0,)) -> str:
    """Cells that begin with * are emphasised."""
    kind = [' class="text"' if i in text_columns else "" for i in range(len(head))]
    lines = ["".join(f"<th{k}>{escape(cell)}</th>" for k, cell in zip(kind, head, strict=True))]
    for row in rows:
        looks = [' class="best"' if cell.startswith("*") else k for k, cell in zip(kind, row, strict=True)]
        cells = [f"<td{look}>{escape(cell.removeprefix('*'))}</td>" for look, cell in zip(looks, row, strict=True)]
        lines.append("".join(cells))
    return '<div class="wide"><table>' + "".join(f"<tr>{line}</tr>" for line in lines) + "</table></div>"
