"""Views: templates, functions, commands; what fails is shown and can be skipped."""

from __future__ import annotations

import io
import sys
import textwrap
import time
import wave
from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard.real.tasks import missing
from steelyard.studies.open_study import OpenStudy
from steelyard.studies.study import Study, load_study
from steelyard.studies.views import Renderer, ViewTrouble
from steelyard.web.server import open_file

from .conftest import client_of, make_study

VALUES = {"size": 12.0, "warmth": 0.5}


def renderer(study: Study) -> Renderer:
    return Renderer(study, b"secret")


def test_a_template_escapes_what_it_is_given(tmp_path: Path) -> None:
    parameters = [{"name": "word", "categories": ["<b>bold</b>", "plain"]}]
    (tmp_path / "word.html").write_text("<p>{{ word }}</p>")
    study = make_study(tmp_path, parameters=parameters, view={"template": "word.html"})
    assert renderer(study).show({"word": "<b>bold</b>"}).body == b"<p>&lt;b&gt;bold&lt;/b&gt;</p>"


@pytest.mark.parametrize("text", ["{{ nothing }}", "{{ size", "{{ ''.__class__.__mro__ }}", "{{ asset('../x') }}"])
def test_a_bad_template_is_refused_at_once(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.html").write_text(text)
    with pytest.raises(ValueError, match=r"bad\.html|must lie in its folder"):
        renderer(make_study(tmp_path, view={"template": "bad.html"}))


def test_an_asset_is_inlined(tmp_path: Path) -> None:
    (tmp_path / "dot.png").write_bytes(b"\x89PNG")
    (tmp_path / "pic.html").write_text("<img src=\"{{ asset('dot.png') }}\">")
    study = make_study(tmp_path, view={"template": "pic.html"})
    assert renderer(study).show(VALUES).body == b'<img src="data:image/png;base64,iVBORw==">'


def test_a_function_makes_a_sound(tmp_path: Path, open_small: Callable[..., OpenStudy]) -> None:
    (tmp_path / "beeper_for_test.py").write_text(
        textwrap.dedent(
            """
            import io, wave
            def beep(size, warmth):
                out = io.BytesIO()
                with wave.open(out, "wb") as sound:
                    sound.setnchannels(1); sound.setsampwidth(2); sound.setframerate(8000)
                    sound.writeframes(bytes(int(size) * 100))
                return out.getvalue()
            """
        )
    )
    opened = open_small(view={"function": "beeper_for_test:beep", "type": "wav"})
    shown = opened.renderer.show(VALUES)
    with wave.open(io.BytesIO(shown.body)) as sound:
        assert sound.getnframes() == 600
    page = client_of(opened).get(f"/s/{opened.add_rater('Ada')[1]}").text
    assert page.count("<audio controls") == 2
    assert str(tmp_path) not in sys.path


def test_a_command_writes_the_file(tmp_path: Path) -> None:
    code = "import sys; open(sys.argv[1], 'w').write('size ' + sys.argv[2])"
    view = {"command": [sys.executable, "-c", code, "{output}", "{size}"], "type": "text"}
    assert renderer(make_study(tmp_path, view=view)).show(VALUES).body == b"size 12.0"


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("raise SystemExit(3)", "code 3"),
        ("import sys; sys.exit('no paint left')", "no paint left"),
        ("pass", "wrote no file"),
        ("import time; time.sleep(60)", "longer than 0.5 seconds"),
    ],
)
def test_a_command_that_fails_says_so(tmp_path: Path, code: str, says: str) -> None:
    view = {"command": [sys.executable, "-c", code, "{output}"], "type": "png", "timeout": 0.5}
    begin = time.monotonic()
    shown = renderer(make_study(tmp_path, view=view)).show(VALUES)
    assert says in shown.error
    assert time.monotonic() - begin < 30


def test_each_candidate_is_rendered_once_and_failures_can_be_tried_again(tmp_path: Path) -> None:
    (tmp_path / "counting_for_test.py").write_text(
        "from pathlib import Path\ncalls = Path(__file__).with_name('calls')\ndef view(**values):\n"
        "    before = calls.read_text() if calls.exists() else ''\n    calls.write_text(before + '.')\n"
        "    if not before: raise OSError('the brush is lost')\n    return 'x'\n"
    )
    made = renderer(make_study(tmp_path, view={"function": "counting_for_test:view", "type": "text"}))
    assert made.show(VALUES).error == "OSError: the brush is lost"
    assert made.show(VALUES).error
    made.forget(VALUES)
    assert made.show(VALUES).body == b"x"
    made.forget(VALUES)  # it did not fail: kept
    assert made.get(made.key(VALUES)) is made.show(VALUES)
    assert (tmp_path / "calls").read_text() == ".."
    made.close()


def test_a_failed_pair_is_shown_and_skipped_without_harm(tmp_path: Path, open_small: Callable[..., OpenStudy]) -> None:
    (tmp_path / "failing_for_test.py").write_text("def view(**values):\n    raise OSError('no <paint>')\n")
    opened = open_small(view={"function": "failing_for_test:view", "type": "png"})
    rater, token = opened.add_rater("Ada")
    web = client_of(opened)
    page = web.get(f"/s/{token}").text
    assert page.count("could not be shown") == 2
    assert "paint" not in page  # that is for the organiser
    organiser = web.get(f"/o/{opened.store.add_token('organiser')}").text
    assert "no &lt;paint&gt;" in organiser
    assert "Skip this pair" in page
    assert web.post(f"/s/{token}/retry").status_code == 200
    question = page.split('name="question" value="')[1].split('"')[0]
    unseen = web.post(f"/s/{token}/answer", data={"question": question, "choice": "left"})
    assert "nothing was counted twice" in unseen.text
    assert opened.result(rater)["answers"] == 0
    after = web.post(f"/s/{token}/answer", data={"question": question, "choice": "skip"})
    assert after.status_code == 200
    result = opened.result(rater)
    assert (result["skipped"], result["ties"], result["answers"]) == (1, 0, 1)


def test_keys_do_not_tell_the_values(tmp_path: Path) -> None:
    study = make_study(tmp_path)
    one, other = Renderer(study, b"one"), Renderer(study, b"other")
    assert one.key(VALUES) == one.key(dict(reversed(VALUES.items())))
    assert one.key(VALUES) != other.key(VALUES)
    assert one.get(other.key(VALUES)) is None  # made up, as far as this study knows
    again = Renderer(study, b"one").get(one.key(VALUES))  # another process, which was never asked for it
    assert again is not None
    assert again == one.show(VALUES)


def test_the_example_bell_rings() -> None:
    study = load_study(Path(__file__).parents[2] / "examples" / "studies" / "bell.toml")
    shown = renderer(study).show(study.space.values(study.space.start))
    with wave.open(io.BytesIO(shown.body)) as sound:
        assert sound.getnframes() > 20_000


@pytest.mark.skipif(bool(missing("lander")), reason=missing("lander") or "it is there")
def test_a_person_compares_two_videos_of_landings(tmp_path: Path) -> None:
    pytest.importorskip("pygame", reason="pictures of landings need pygame")
    pytest.importorskip("PIL", reason="pictures of landings need pillow")
    study = load_study(Path(__file__).parents[2] / "examples" / "studies" / "landing.toml")
    opened = open_file(study, str(tmp_path / "landing.db"), ahead=False)
    rater, token = opened.add_rater("Ada")
    web = client_of(opened)
    page = web.get(f"/s/{token}").text
    videos = ["/view/" + part.split('"')[0] for part in page.split('src="/view/')[1:]]
    assert len(videos) == 2
    for video in videos:
        assert web.get(video).content.startswith(b"GIF8")
    question = page.split('name="question" value="')[1].split('"')[0]
    assert web.post(f"/s/{token}/answer", data={"question": question, "choice": "left"}).status_code == 200
    assert opened.result(rater)["answers"] == 1
    opened.close()


def test_a_function_that_hangs_is_ended_and_the_study_goes_on(tmp_path: Path) -> None:
    (tmp_path / "hanging_for_test.py").write_text(
        "import time\ndef view(size, warmth):\n    while size > 20: time.sleep(1)\n    return 'x'\n"
    )
    view = {"function": "hanging_for_test:view", "type": "text", "timeout": 1.0}
    made = Renderer(make_study(tmp_path, view=view), b"secret", workers=1)
    assert made.show({"size": 30.0, "warmth": 0.5}).error == "the function took longer than 1 seconds"
    assert made.show(VALUES).body == b"x"
    made.close()


def test_what_a_view_prints_is_for_the_organiser(tmp_path: Path) -> None:
    (tmp_path / "printing_for_test.py").write_text(
        "import os\ndef view(size, warmth):\n    print('mixing', size)\n    os.system('echo from outside')\n"
        "    if size > 20: raise ValueError('too large')\n    return 'x'\n"
    )
    heard: list[ViewTrouble] = []
    study = make_study(tmp_path, view={"function": "printing_for_test:view", "type": "text"})
    made = Renderer(study, b"secret", report=heard.append)
    assert made.show(VALUES).body == b"x"
    assert made.show({"size": 30.0, "warmth": 0.5}).error == "ValueError: too large"
    made.close()
    assert sorted(heard[0].printed.splitlines()) == ["from outside", "mixing 12.0"]
    assert heard[1].error == "ValueError: too large"
    assert "Traceback" in heard[1].printed


def test_a_view_that_crashes_its_process_is_a_failure_like_others(tmp_path: Path) -> None:
    (tmp_path / "crashing_for_test.py").write_text(
        "import os\ndef view(size, warmth):\n    if size > 20: os.abort()\n    return 'x'\n"
    )
    made = renderer(make_study(tmp_path, view={"function": "crashing_for_test:view", "type": "text"}))
    assert "has crashed" in made.show({"size": 30.0, "warmth": 0.5}).error
    assert made.show(VALUES).body == b"x"
    made.close()


@pytest.mark.parametrize(
    ("kind", "shown_as", "mime"),
    [
        ("mp4", "<video ", "video/mp4"),
        ("webm", "<video ", "video/webm"),
        ("webp", "<img ", "image/webp"),
        ("gif", "<img ", "image/gif"),
    ],
)
def test_films_and_pictures_of_all_types(
    tmp_path: Path, open_small: Callable[..., OpenStudy], kind: str, shown_as: str, mime: str
) -> None:
    code = "import sys; open(sys.argv[1], 'wb').write(b'0123456789')"
    opened = open_small(view={"command": [sys.executable, "-c", code, "{output}"], "type": kind})
    web = client_of(opened)
    page = web.get(f"/s/{opened.add_rater('Ada')[1]}").text
    assert page.count(f'{shown_as}class="view"') == 2
    assert ("data-play" in page) == (kind in ("mp4", "webm"))  # a film must be watched before an answer counts
    view = "/view/" + page.split('src="/view/')[1].split('"')[0]
    part = web.get(view, headers={"range": "bytes=2-4"})
    assert (part.status_code, part.headers["content-type"], part.content) == (206, mime, b"234")
