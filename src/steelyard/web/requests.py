"""What is read from a request, and the headers of what is sent back: forms, choices, addresses, downloads, ranges."""

import re
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from steelyard.studies.choosing import PATTERN
from steelyard.studies.runs import CHOICES

Form = dict[str, str]


async def form_fields(request: Request) -> Form:
    """The fields of a plain form; anything else is an empty one."""
    try:
        fields = parse_qs((await request.body()).decode(), keep_blank_values=True, max_num_fields=20)
    except ValueError as error:
        raise HTTPException(400, "the form cannot be read") from error
    return {name: values[-1] for name, values in fields.items()}


def client_of(request: Request) -> str:
    return request.client.host if request.client else ""


def download(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}


def ranged(request: Request, body: bytes, type_: str, headers: dict[str, str]) -> Response:
    """The body, or the part of it that a `Range` asks for: players of sounds and films want to jump."""
    headers = {**headers, "accept-ranges": "bytes"}
    found = re.fullmatch(r"bytes=(\d*)-(\d*)", request.headers.get("range", "").strip())
    if not found or not (found[1] or found[2]):
        return Response(body, media_type=type_, headers=headers)
    if found[1]:
        begin, end = int(found[1]), min(int(found[2]) if found[2] else len(body) - 1, len(body) - 1)
    else:
        begin, end = max(0, len(body) - int(found[2])), len(body) - 1
    if begin >= len(body) or end < begin:
        return Response(status_code=416, headers={**headers, "content-range": f"bytes */{len(body)}"})
    headers["content-range"] = f"bytes {begin}-{end}/{len(body)}"
    return Response(body[begin : end + 1], 206, media_type=type_, headers=headers)


def some_choice(choice: object) -> str:
    """What may be an answer to some question; whether it is one to the question asked is seen when that is known."""
    if not isinstance(choice, str) or (choice not in CHOICES and not re.fullmatch(PATTERN, choice)):
        raise HTTPException(422, f"choice must be one of {', '.join(CHOICES)}, or a number or order of those shown")
    return choice
