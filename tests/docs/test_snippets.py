"""The runner of snippets itself: it runs what it should, in order, and fails when a snippet does."""

import pytest
from snippets import run_page, snippets

PAGE = """
```python
x = 1
```
<!-- not run: it would fail -->
```python
raise RuntimeError
```
```toml title="study.toml"
a = 1
```
1. In a list
    ```python
    from pathlib import Path
    assert x == 1 and Path("study.toml").read_text() == "a = 1\\n"
    ```
```sh
make everything       # not ours to run
steelyard --version
```
"""


def test_it_runs_in_order_and_leaves_out_what_is_marked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    assert [snippet.language for snippet in snippets(page)] == ["python", "toml", "python", "sh"]
    assert run_page(page, tmp_path) == 4


@pytest.mark.parametrize("wrong", ["```python\n1 / 0\n```\n", "```sh\nsteelyard nonsense\n```\n"])
def test_it_fails_when_a_snippet_does(wrong, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text(wrong)
    with pytest.raises((ZeroDivisionError, AssertionError)):
        run_page(page, tmp_path)
