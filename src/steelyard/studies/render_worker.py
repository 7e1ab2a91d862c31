"""The process in which a study's own function draws candidates: run as a file, so that it imports nothing it need not.

Whatever the function prints goes to the standard output of this process, a file that the parent reads. Requests and
replies go over a connection of their own. It ends when the parent does.
"""

import importlib
import json
import os
import sys
import threading
import time
from multiprocessing.connection import Connection


def main(descriptor: int, path: str, function: str) -> None:
    """Load `module:function` with these folders to look in, then answer requests until the parent is gone."""
    sys.path[:] = json.loads(path)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    parent = Connection(descriptor)
    module, _, name = function.partition(":")
    try:
        make = getattr(importlib.import_module(module), name)
    except BaseException as error:  # also a SystemExit in the study's module
        _reply(parent, f"{type(error).__name__}: {error}")
        return
    _reply(parent, "")
    while True:
        try:
            values = json.loads(parent.recv_bytes())
        except EOFError:
            return
        try:
            body = make(**values)
            body = body.encode() if isinstance(body, str) else body
            if not isinstance(body, bytes | bytearray | memoryview):
                raise TypeError(f"a view must return bytes or text, got {type(body).__name__}")
        except BaseException as error:
            import traceback

            traceback.print_exc()
            _reply(parent, f"{type(error).__name__}: {error}")
        else:
            _reply(parent, "", bytes(body))


def _reply(parent: Connection, error: str, body: bytes = b"") -> None:
    sys.stdout.flush()
    parent.send_bytes(error.encode(errors="replace"))
    parent.send_bytes(body)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])
