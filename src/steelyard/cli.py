"""The command `steelyard`: each subcommand checks its input and makes one library call."""

import shlex
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

USAGE_ERROR = 2


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command. Bad input ends with a message and exit code 2; `--debug` shows the traceback instead."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if find_spec("typer") is None or find_spec("rich") is None:
        print("the command needs typer and rich: install steelyard[bench]", file=sys.stderr)
        raise SystemExit(USAGE_ERROR)
    # Methods and problems of one's own (mine:Method) are found in the folder one works in; last, so as to hide nothing.
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    from steelyard.commands import app

    debug = "--debug" in given  # before or after the subcommand, as people type it
    try:
        app([argument for argument in given if argument != "--debug"], prog_name="steelyard")
    except SystemExit as stop:
        if stop.code == USAGE_ERROR and given:  # the parser's messages do not all show the value
            print(f"in: {shlex.join(['steelyard', *given])}", file=sys.stderr)
        raise
    except (ValueError, TypeError, OSError, ImportError, RuntimeError) as error:
        if debug:
            raise
        print(f"steelyard: {error}", file=sys.stderr)
        raise SystemExit(USAGE_ERROR) from None
    except KeyboardInterrupt as stop:
        print(f"steelyard: {stop or 'interrupted'}", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
