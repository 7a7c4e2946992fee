"""Calls: what is sent, when it is retried, and how lists and exports are read."""

# What httpx and JSON return is declared, not checked.
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
import time
import uuid
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import (
    Any,
    AsyncIterator,
    Awaitable,
    BinaryIO,
    Callable,
    Generator,
    Generic,
    Iterator,
    Mapping,
    Optional,
    TypedDict,
    TypeVar,
    Union,
)
from urllib.parse import quote

import httpx

from ._errors import TieoutError, error_of

Item = TypeVar("Item")

FileContent = Union[str, Path, bytes]
"""A file to send: a path, which is read again on a retry, or its bytes."""

MAX_RETRIES = 5
FIRST_BACKOFF_SECONDS = 0.2
MAX_BACKOFF_SECONDS = 5.0
FILE_DEADLINE_SECONDS = 900.0
MAX_LIMIT_SECONDS = 14 * 86_400.0
"""Sockets reject much longer timeouts."""
CHUNK_BYTES = 64 * 1024
TAIL_BYTES = 64
END_MARK = re.compile(rb'(?:^|\n)((?:#end,|\{"\$end":\{"rows":)(\d+)(?:\r|\}\})\n)$')


class Options(TypedDict, total=False):
    """Options of one call."""

    deadline: float
    """Seconds for the call with all its retries: by default the client's, 15 minutes for a file."""
    idempotency_key: str
    """By default a new random key for each call. All attempts of a call use the same key."""
    if_match: str
    """The `etag` you read: the change is made only if nobody has changed the resource since."""
    audit_reason: str
    """With the service-role key: the reason for the call, recorded in the security events."""
    content_type: str
    """The media type of a file."""


@dataclass(frozen=True)
class Response:
    """The data of a call, and the metadata of its response."""

    data: Any
    status: int
    headers: httpx.Headers

    @property
    def request_id(self) -> Optional[str]:
        return self.headers.get("x-request-id")

    @property
    def etag(self) -> Optional[str]:
        return self.headers.get("etag")

    @property
    def replayed(self) -> bool:
        return self.headers.get("idempotency-replayed") == "true"

    @property
    def rate_limit(self) -> Optional[tuple[int, int]]:
        """Calls left, and seconds until the window resets."""
        found = re.search(r"r=(\d+);t=(\d+)", self.headers.get("ratelimit", ""))
        return (int(found[1]), int(found[2])) if found else None


@dataclass(frozen=True)
class Outgoing:
    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    file: Optional[FileContent] = None
    deadline: Optional[float] = None
    streams: bool = False


@dataclass(frozen=True)
class Send:
    outgoing: Outgoing
    limit: float


@dataclass(frozen=True)
class Sleep:
    seconds: float


Step = Union[Send, Sleep]
Outcome = Union[httpx.Response, TieoutError, None]


def attempts(outgoing: Outgoing, deadline: float) -> Generator[Step, Outcome, httpx.Response]:
    """Yields the steps of a call to a transport, until it succeeds or fails for good."""
    # A long poll responds only after its wait.
    wait = float(outgoing.query.get("wait", 0))
    end = time.monotonic() + deadline + wait
    is_long = outgoing.streams or outgoing.file is not None
    failures = 0
    attempt = 0
    while True:
        left = end - time.monotonic()
        # A connection that stalls leaves time for other attempts.
        limit = left if is_long else min(left, deadline / 3 + wait)
        outcome = yield Send(outgoing, max(0.001, min(limit, MAX_LIMIT_SECONDS)))
        if isinstance(outcome, httpx.Response):
            if outcome.is_success:
                return outcome
            error = error_of(outcome)
        else:
            error = outcome or TieoutError("connection_failed", "The connection failed.")
        failures += error.retry_after is None
        if not error.retryable or failures > MAX_RETRIES:
            raise error
        backoff = min(FIRST_BACKOFF_SECONDS * 2**attempt, MAX_BACKOFF_SECONDS)
        delay = (error.retry_after or 0.0) + backoff * (0.5 + random.random() / 2)
        if time.monotonic() + delay >= end:
            raise error
        yield Sleep(delay)
        attempt += 1


def timed_out() -> TieoutError:
    return TieoutError("timeout", "There was no response in time.", retryable=True)


def failure_of(error: httpx.HTTPError) -> TieoutError:
    if isinstance(error, httpx.TimeoutException):
        return timed_out()
    try:
        address = f"{error.request.url.scheme}://{error.request.url.netloc.decode()}"
    except RuntimeError:
        address = "the API"
    message = f"The connection to {address} failed."
    return TieoutError("connection_failed", message, retryable=True)


def segment(name: str, value: Union[str, int]) -> str:
    """A parameter of a path. An empty one would be another route."""
    text = str(value) if isinstance(value, int) else value
    if not isinstance(text, str) or text == "":
        raise TypeError(f"The {name} is missing.")
    return quote(text, safe="")


def outgoing_of(
    method: str,
    path: str,
    options: Options,
    *,
    query: Optional[Mapping[str, Any]] = None,
    body: Any = None,
    file: Optional[FileContent] = None,
    takes_key: bool = False,
    streams: bool = False,
) -> Outgoing:
    headers = {"Accept": "*/*" if streams else "application/json"}
    given = body if isinstance(body, dict) else {}
    if takes_key:
        headers["Idempotency-Key"] = (
            options.get("idempotency_key")
            or given.get("idempotency_key")
            or given.get("idempotencyKey")
            or str(uuid.uuid4())
        )
    if "if_match" in options:
        headers["If-Match"] = options["if_match"]
    if "audit_reason" in options:
        headers["X-Audit-Reason"] = options["audit_reason"]
    if file is not None:
        headers["Content-Type"] = options.get("content_type", "application/octet-stream")
    elif body is not None:
        headers["Content-Type"] = "application/json"
    present = {name: _text(value) for name, value in (query or {}).items() if value is not None}
    deadline = options.get("deadline", FILE_DEADLINE_SECONDS if file is not None else None)
    return Outgoing(method, path, present, headers, body, file, deadline, streams)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(_text(one) for one in value)
    return str(value)


def data_of(response: httpx.Response) -> Any:
    """A proxy's page is not a response of the API, whatever its status."""
    if response.status_code == 204:
        return None
    try:
        return response.json()
    except ValueError as error:
        raise TieoutError(
            "unexpected_response",
            "The response is no JSON: is the address right?",
            status=response.status_code,
        ) from error


def content_of(outgoing: Outgoing) -> Optional[bytes]:
    return None if outgoing.body is None else json.dumps(outgoing.body).encode()


def open_file(file: FileContent) -> Union[bytes, BinaryIO]:
    return file if isinstance(file, bytes) else open(file, "rb")


async def read_file(file: FileContent) -> AsyncIterator[bytes]:
    if isinstance(file, bytes):
        yield file
        return
    opened = await asyncio.to_thread(open, file, "rb")
    try:
        while chunk := await asyncio.to_thread(opened.read, CHUNK_BYTES):
            yield chunk
    finally:
        opened.close()


class SyncTransport:
    """Takes the steps of calls, one after the other."""

    def __init__(self, http: httpx.Client, headers: Callable[[], Mapping[str, str]], deadline: float):
        self._http = http
        self._headers = headers
        self._deadline = deadline

    def run(self, outgoing: Outgoing) -> httpx.Response:
        steps = attempts(outgoing, outgoing.deadline or self._deadline)
        outcome: Outcome = None
        try:
            step = next(steps)
            while True:
                if isinstance(step, Sleep):
                    time.sleep(step.seconds)
                    outcome = None
                else:
                    outcome = self._send(step)
                step = steps.send(outcome)
        except StopIteration as done:
            return done.value

    def _send(self, step: Send) -> Outcome:
        out = step.outgoing
        opened = open_file(out.file) if out.file is not None else None
        end = time.monotonic() + step.limit
        try:
            headers = {**out.headers, **self._headers()}
            request = self._http.build_request(
                out.method,
                out.path,
                params=dict(out.query),
                headers=headers,
                content=opened if opened is not None else content_of(out),
                # The token may have taken some of the time.
                timeout=max(0.001, end - time.monotonic()),
            )
            response = self._http.send(request, stream=True)
            return response if out.streams and response.is_success else _whole(response, end)
        except httpx.HTTPError as error:
            return failure_of(error)
        finally:
            if opened is not None and not isinstance(opened, bytes):
                opened.close()


def _whole(response: httpx.Response, end: float) -> Union[httpx.Response, TieoutError]:
    """The response with its body. A timeout of httpx would start again with each part."""
    content = bytearray()
    with contextlib.closing(response):
        for part in response.iter_raw():
            content += part
            if time.monotonic() > end:
                return timed_out()
    return httpx.Response(
        response.status_code,
        headers=response.headers,
        content=bytes(content),
        request=response.request,
    )


class AsyncTransport:
    """Takes the steps of calls that run concurrently."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        headers: Callable[[], Awaitable[Mapping[str, str]]],
        deadline: float,
    ):
        self._http = http
        self._headers = headers
        self._deadline = deadline

    async def run(self, outgoing: Outgoing) -> httpx.Response:
        steps = attempts(outgoing, outgoing.deadline or self._deadline)
        outcome: Outcome = None
        try:
            step = next(steps)
            while True:
                if isinstance(step, Sleep):
                    await asyncio.sleep(step.seconds)
                    outcome = None
                else:
                    outcome = await self._send(step)
                step = steps.send(outcome)
        except StopIteration as done:
            return done.value

    async def _send(self, step: Send) -> Outcome:
        out = step.outgoing
        try:
            response = await asyncio.wait_for(self._send_once(out, step.limit), step.limit)
            if out.streams and not response.is_success:
                await response.aread()
            return response
        except asyncio.TimeoutError:
            return timed_out()
        except httpx.HTTPError as error:
            return failure_of(error)

    async def _send_once(self, out: Outgoing, limit: float) -> httpx.Response:
        request = self._http.build_request(
            out.method,
            out.path,
            params=dict(out.query),
            headers={**out.headers, **await self._headers()},
            content=read_file(out.file) if out.file is not None else content_of(out),
            timeout=limit,
        )
        return await self._http.send(request, stream=out.streams)


class Pages(Generic[Item]):
    """A list: iterate it for all items, or get one `page()`."""

    def __init__(self, transport: SyncTransport, outgoing: Outgoing):
        self._transport = transport
        self._outgoing = outgoing

    def page(self, cursor: Optional[str] = None) -> dict[str, Any]:
        """The page at the cursor, or at the query's, or the first."""
        return data_of(self._transport.run(_at(self._outgoing, cursor)))

    def __iter__(self) -> Iterator[Item]:
        page = self.page()
        yield from page["items"]
        while page["next_cursor"] is not None:
            page = self.page(page["next_cursor"])
            yield from page["items"]


class AsyncPages(Generic[Item]):
    """A list: iterate it with `async for`, or await one `page()`."""

    def __init__(self, transport: AsyncTransport, outgoing: Outgoing):
        self._transport = transport
        self._outgoing = outgoing

    async def page(self, cursor: Optional[str] = None) -> dict[str, Any]:
        """The page at the cursor, or at the query's, or the first."""
        return data_of(await self._transport.run(_at(self._outgoing, cursor)))

    async def __aiter__(self) -> AsyncIterator[Item]:
        page = await self.page()
        for item in page["items"]:
            yield item
        while page["next_cursor"] is not None:
            page = await self.page(page["next_cursor"])
            for item in page["items"]:
                yield item


def _at(outgoing: Outgoing, cursor: Optional[str]) -> Outgoing:
    if cursor is None:
        return outgoing
    return replace(outgoing, query={**outgoing.query, "cursor": cursor})


class _Tail:
    """Holds back the end of an export until it is known to be its end, and counts its rows."""

    def __init__(self, response: httpx.Response, is_marked: bool):
        self._response = response
        self._is_marked = is_marked
        self._held = b""
        self._type = response.headers.get("content-type", "")
        self._is_quoted = False
        self._rows = -1 if "csv" in self._type else 0

    def add(self, chunk: bytes) -> bytes:
        whole = self._held + chunk
        self._held = whole[-TAIL_BYTES:]
        return self._counted(whole[:-TAIL_BYTES])

    def end(self) -> bytes:
        if not self._is_marked:
            if not self._has_file_end():
                raise self.cut()
            return self._held
        mark = END_MARK.search(self._held)
        last = self._counted(self._held[: mark.start(1)] if mark else b"")
        if mark is None or int(mark[2]) != self._rows:
            raise self.cut()
        return last

    def _counted(self, content: bytes) -> bytes:
        """Counts the rows of the bytes it returns. A line break in a CSV cell doesn't end a row."""
        if "csv" not in self._type:
            self._rows += content.count(b"\n")
            return content
        for at, part in enumerate(content.split(b'"')):
            if at > 0:
                self._is_quoted = not self._is_quoted
            if not self._is_quoted:
                self._rows += part.count(b"\n")
        return content

    def _has_file_end(self) -> bool:
        """A zip ends with a record of 22 bytes, a PDF with a line. Other files have no end."""
        if "zip" in self._type or "sheet" in self._type:
            return self._held[-22:-18] == b"PK\x05\x06"
        return "pdf" not in self._type or self._held.rstrip().endswith(b"%%EOF")

    def cut(self) -> TieoutError:
        return TieoutError(
            "incomplete_response",
            "The export was cut: start it again.",
            status=self._response.status_code,
            request_id=self._response.headers.get("x-request-id"),
            retryable=True,
        )


class Export:
    """An export: iterate it for rows (`ndjson`), or read its `bytes()`. Both raise if it was cut."""

    def __init__(self, transport: SyncTransport, outgoing: Outgoing):
        self._transport = transport
        self._outgoing = outgoing

    def bytes(self) -> Iterator[bytes]:
        """The file in chunks, in the query's `format`."""
        response = self._transport.run(self._outgoing)
        tail = _Tail(response, "end_mark" in self._outgoing.query)
        try:
            for chunk in response.iter_bytes():
                yield tail.add(chunk)
            yield tail.end()
        except httpx.HTTPError as error:
            raise tail.cut() from error
        finally:
            response.close()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        rest = b""
        for chunk in self.bytes():
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield json.loads(line)


class AsyncExport:
    """An export: iterate it with `async for`, or read its `bytes()`. Both raise if it was cut."""

    def __init__(self, transport: AsyncTransport, outgoing: Outgoing):
        self._transport = transport
        self._outgoing = outgoing

    async def bytes(self) -> AsyncIterator[bytes]:
        """The file in chunks, in the query's `format`."""
        response = await self._transport.run(self._outgoing)
        tail = _Tail(response, "end_mark" in self._outgoing.query)
        try:
            async for chunk in response.aiter_bytes():
                yield tail.add(chunk)
            yield tail.end()
        except httpx.HTTPError as error:
            raise tail.cut() from error
        finally:
            await response.aclose()

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        rest = b""
        async for chunk in self.bytes():
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield json.loads(line)


def _export_of(method: str, path: str, options: Options, query: Any, has_end_mark: bool) -> Outgoing:
    export_query = dict(query or {})
    if has_end_mark:
        export_query["format"] = export_query.get("format") or "ndjson"
        export_query["end_mark"] = None if export_query["format"] == "xlsx" else True
    return outgoing_of(method, path, options, query=export_query, streams=True)


class SyncResource:
    """The calls of one resource."""

    def __init__(self, transport: SyncTransport, *, whole: bool = False):
        self._transport = transport
        self._whole = whole

    @property
    def with_response(self) -> Any:
        """The same calls, which return a Response: the data, the request ID, the ETag, the limits."""
        return type(self)(self._transport, whole=True)

    def _call(self, method: str, path: str, options: Options, **rest: Any) -> Any:
        response = self._transport.run(outgoing_of(method, path, options, **rest))
        data = data_of(response)
        return Response(data, response.status_code, response.headers) if self._whole else data

    def _list(self, method: str, path: str, options: Options, **rest: Any) -> Pages[Any]:
        return Pages(self._transport, outgoing_of(method, path, options, **rest))

    def _export(
        self, method: str, path: str, options: Options, query: Any = None, has_end_mark: bool = False
    ) -> Export:
        return Export(self._transport, _export_of(method, path, options, query, has_end_mark))


class AsyncResource:
    """The calls of one resource."""

    def __init__(self, transport: AsyncTransport, *, whole: bool = False):
        self._transport = transport
        self._whole = whole

    @property
    def with_response(self) -> Any:
        """The same calls, which return a Response: the data, the request ID, the ETag, the limits."""
        return type(self)(self._transport, whole=True)

    async def _call(self, method: str, path: str, options: Options, **rest: Any) -> Any:
        response = await self._transport.run(outgoing_of(method, path, options, **rest))
        data = data_of(response)
        return Response(data, response.status_code, response.headers) if self._whole else data

    def _list(self, method: str, path: str, options: Options, **rest: Any) -> AsyncPages[Any]:
        return AsyncPages(self._transport, outgoing_of(method, path, options, **rest))

    def _export(
        self, method: str, path: str, options: Options, query: Any = None, has_end_mark: bool = False
    ) -> AsyncExport:
        return AsyncExport(self._transport, _export_of(method, path, options, query, has_end_mark))
