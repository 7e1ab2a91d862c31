"""The command `steelyard`: each subcommand checks its input and makes one library call."""

from __future__ import annotations

import sys
from importlib.util import find_spec

USAGE_ERROR = 2


def main() -> None:
    """Run the command. Bad input ends with a message and exit code 2; `--debug` shows the traceback instead."""
    if find_spec("typer") is None or find_spec("rich") is None:
        print("the command needs typer and rich: install steelyard[bench]", file=sys.stderr)
        raise SystemExit(USAGE_ERROR)
    from steelyard.commands import app

    debug = "--debug" in sys.argv[1:]
    try:
        app()
    except (ValueError, TypeError, OSError, ImportError, RuntimeError) as error:
        if debug:
            raise
        print(f"steelyard: {error}", file=sys.stderr)
        raise SystemExit(USAGE_ERROR) from None
    except KeyboardInterrupt:
        print("steelyard: interrupted", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
