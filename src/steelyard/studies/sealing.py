"""Candidates named by a text that every server of the study can read, and nobody else.

The text holds the values themselves, so that no server must remember which candidates it has shown. They are encrypted
by a stream of HMAC-SHA-256 blocks whose start is the HMAC of the values (a synthetic initialisation vector, Rogaway and
Shrimpton 2006): the same candidate has the same name, and a name that was made up is recognised as such.
"""

import base64
import hmac
import json
import zlib
from collections.abc import Mapping

from steelyard.space import Value

LONGEST_NAME = 8000
"""Characters of a name; longer ones would not fit into an address."""
_TAG = 16


def seal(secret: bytes, values: Mapping[str, Value]) -> str:
    """The name of a candidate."""
    plain = zlib.compress(json.dumps(values, sort_keys=True).encode(), 9)
    tag = _mac(secret, b"tag" + plain)[:_TAG]
    return base64.urlsafe_b64encode(tag + _mixed(secret, tag, plain)).rstrip(b"=").decode()


def unseal(secret: bytes, name: str) -> dict[str, Value] | None:
    """The values of a candidate, or None if the name was not made by `seal`."""
    if not 0 < len(name) <= LONGEST_NAME:
        return None
    try:
        sealed = base64.b64decode(name + "=" * (-len(name) % 4), altchars=b"-_", validate=True)
    except ValueError:
        return None
    tag, plain = sealed[:_TAG], _mixed(secret, sealed[:_TAG], sealed[_TAG:])
    if not hmac.compare_digest(tag, _mac(secret, b"tag" + plain)[:_TAG]):
        return None
    values: dict[str, Value] = json.loads(zlib.decompress(plain))
    return values


def _mixed(secret: bytes, tag: bytes, text: bytes) -> bytes:
    blocks = (_mac(secret, b"stream" + tag + number.to_bytes(4)) for number in range(len(text) // 32 + 1))
    stream = b"".join(blocks)[: len(text)]
    return (int.from_bytes(text) ^ int.from_bytes(stream)).to_bytes(len(text))


def _mac(secret: bytes, text: bytes) -> bytes:
    return hmac.digest(secret, text, "sha256")
