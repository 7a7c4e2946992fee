# Data is parsed JSON: its types are declared, not checked.
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import asyncio
import inspect
import time
from typing import Any, AsyncIterator, Awaitable, Callable, Generator, Iterator, Optional, Union

import httpx

from . import _types as T
from ._calls import AsyncTransport, FileContent, SyncTransport
from ._errors import TieoutError
from ._resources import AsyncResources, Resources

DEADLINE_SECONDS = 60.0
WAIT_SECONDS = 1800.0
FIRST_PAUSE_SECONDS = 0.1
MAX_PAUSE_SECONDS = 2.0
POLL_WAIT_SECONDS = 20
PAUSE_AFTER_FAILURE_SECONDS = 5.0

Progress = Optional[Callable[[Any], None]]


def _end_of_work(state: Any) -> Union[bool, str]:
    """Whether an import or run is done, or why it failed."""
    if state["status"] == "failed":
        return state["failure"] or "It failed without a reason."
    return state["status"] == "done"


def _end_of_closing(state: Any) -> Union[bool, str]:
    if state["closing"]:
        return False
    if state["closed_at"] is not None:
        return True
    return state["closing_failure"] or "It failed without a reason."


def _waiting(
    state: Any, end_of: Callable[[Any], Union[bool, str]], on_progress: Progress, wait: float
) -> Generator[float, Any, Any]:
    """Yields the pauses between polls of the started work, until it has ended."""
    if state is None:
        raise TieoutError(
            "failed", "The key lacks the read scope, so the end can't be waited for."
        )
    deadline = time.monotonic() + wait
    pause = FIRST_PAUSE_SECONDS
    while True:
        if on_progress:
            on_progress(state)
        end = end_of(state)
        if end is True:
            return state
        if isinstance(end, str):
            raise TieoutError("failed", end)
        if time.monotonic() + pause > deadline:
            raise TieoutError("timeout", "It has not ended in time.", retryable=True)
        state = yield pause
        pause = min(pause * 1.5, MAX_PAUSE_SECONDS)


class Tieout(Resources):
    """The client: one method for each operation of the API.

    `key` is an API key, `<key_id>.<key_secret>`; `token` returns a token before each attempt.
    """

    def __init__(
        self,
        *,
        tenant: str,
        base_url: str,
        key: Optional[str] = None,
        token: Optional[Callable[[], str]] = None,
        deadline: float = DEADLINE_SECONDS,
        http: Optional[httpx.Client] = None,
    ) -> None:
        credential = _credential(key, token)
        _require_address(tenant, base_url)
        self._http = http or httpx.Client()
        self._http.base_url = httpx.URL(base_url)
        super().__init__(
            SyncTransport(self._http, lambda: _headers(tenant, credential()), deadline)
        )

    def __enter__(self) -> Tieout:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def import_and_wait(
        self,
        source: str,
        file: FileContent,
        *,
        on_progress: Progress = None,
        wait: float = WAIT_SECONDS,
        **query: Any,
    ) -> T.Import:
        """Imports a file and waits until its lines are in. Raises TieoutError `failed`."""
        started: Any = self.sources.create_import(source, file, **query)
        return self._wait(started, self.imports.get, _end_of_work, on_progress, wait)

    def run_and_wait(
        self,
        reconciliation: str,
        body: Optional[T.CreateRunRequest] = None,
        *,
        on_progress: Progress = None,
        wait: float = WAIT_SECONDS,
    ) -> T.Run:
        """Runs the rules of a period and waits for the result. Raises TieoutError `failed`."""
        started = self.reconciliations.create_run(reconciliation, body)
        return self._wait(started, self.runs.get, _end_of_work, on_progress, wait)

    def close_and_wait(
        self, reconciliation: str, *, on_progress: Progress = None, wait: float = WAIT_SECONDS
    ) -> T.Reconciliation:
        """Closes a period and waits until it is closed. Raises TieoutError `failed`."""
        started = self.reconciliations.close(reconciliation)
        get = self.reconciliations.get
        return self._wait(started, get, _end_of_closing, on_progress, wait)

    def poll_events(
        self,
        *,
        cursor: Optional[str] = None,
        save: Optional[Callable[[str], None]] = None,
        **query: Any,
    ) -> Iterator[dict[str, Any]]:
        """Reads events indefinitely, from the cursor. Each is returned at least once.

        `save` gets the position to continue from, once your loop has handled all events of a page.
        """
        while True:
            try:
                page = self.events.list(
                    cursor=cursor, wait=POLL_WAIT_SECONDS, **query
                ).page()
            except TieoutError as error:
                if not error.retryable:
                    raise
                time.sleep(max(error.retry_after or 0.0, PAUSE_AFTER_FAILURE_SECONDS))
                continue
            yield from page["items"]
            if save and page["resume_cursor"] != cursor:
                save(page["resume_cursor"])
            cursor = page["resume_cursor"]

    def _wait(self, state: Any, get: Any, end_of: Any, on_progress: Progress, wait: float) -> Any:
        steps = _waiting(state, end_of, on_progress, wait)
        try:
            pause = next(steps)
            while True:
                time.sleep(pause)
                pause = steps.send(get(state["id"]))
        except StopIteration as done:
            return done.value


class AsyncTieout(AsyncResources):
    """The client for asyncio: one coroutine for each operation of the API."""

    def __init__(
        self,
        *,
        tenant: str,
        base_url: str,
        key: Optional[str] = None,
        token: Optional[Callable[[], Union[str, Awaitable[str]]]] = None,
        deadline: float = DEADLINE_SECONDS,
        http: Optional[httpx.AsyncClient] = None,
    ) -> None:
        credential = _credential(key, token)
        _require_address(tenant, base_url)
        self._http = http or httpx.AsyncClient()
        self._http.base_url = httpx.URL(base_url)

        async def headers() -> dict[str, str]:
            found = credential()
            return _headers(tenant, await found if inspect.isawaitable(found) else found)

        super().__init__(AsyncTransport(self._http, headers, deadline))

    async def __aenter__(self) -> AsyncTieout:
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def import_and_wait(
        self,
        source: str,
        file: FileContent,
        *,
        on_progress: Progress = None,
        wait: float = WAIT_SECONDS,
        **query: Any,
    ) -> T.Import:
        """Imports a file and waits until its lines are in. Raises TieoutError `failed`."""
        started: Any = await self.sources.create_import(source, file, **query)
        return await self._wait(started, self.imports.get, _end_of_work, on_progress, wait)

    async def run_and_wait(
        self,
        reconciliation: str,
        body: Optional[T.CreateRunRequest] = None,
        *,
        on_progress: Progress = None,
        wait: float = WAIT_SECONDS,
    ) -> T.Run:
        """Runs the rules of a period and waits for the result. Raises TieoutError `failed`."""
        started = await self.reconciliations.create_run(reconciliation, body)
        return await self._wait(started, self.runs.get, _end_of_work, on_progress, wait)

    async def close_and_wait(
        self, reconciliation: str, *, on_progress: Progress = None, wait: float = WAIT_SECONDS
    ) -> T.Reconciliation:
        """Closes a period and waits until it is closed. Raises TieoutError `failed`."""
        started = await self.reconciliations.close(reconciliation)
        get = self.reconciliations.get
        return await self._wait(started, get, _end_of_closing, on_progress, wait)

    async def poll_events(
        self,
        *,
        cursor: Optional[str] = None,
        save: Optional[Callable[[str], Any]] = None,
        **query: Any,
    ) -> AsyncIterator[dict[str, Any]]:
        """Reads events indefinitely, from the cursor. Each is returned at least once.

        `save` gets the position to continue from, once your loop has handled all events of a page.
        """
        while True:
            try:
                page = await self.events.list(
                    cursor=cursor, wait=POLL_WAIT_SECONDS, **query
                ).page()
            except TieoutError as error:
                if not error.retryable:
                    raise
                await asyncio.sleep(max(error.retry_after or 0.0, PAUSE_AFTER_FAILURE_SECONDS))
                continue
            for event in page["items"]:
                yield event
            if save and page["resume_cursor"] != cursor:
                saved = save(page["resume_cursor"])
                if inspect.isawaitable(saved):
                    await saved
            cursor = page["resume_cursor"]

    async def _wait(
        self, state: Any, get: Any, end_of: Any, on_progress: Progress, wait: float
    ) -> Any:
        steps = _waiting(state, end_of, on_progress, wait)
        try:
            pause = next(steps)
            while True:
                await asyncio.sleep(pause)
                pause = steps.send(await get(state["id"]))
        except StopIteration as done:
            return done.value


def _credential(key: Optional[str], token: Optional[Callable[[], Any]]) -> Callable[[], Any]:
    if bool(key) == (token is not None):
        raise TypeError("Give a key, or a function that returns a token.")
    return token if token is not None else lambda: key


def _require_address(tenant: str, base_url: str) -> None:
    """Rejects unset environment variables, which would look like a wrong credential."""
    if not tenant:
        raise TypeError("The tenant is missing.")
    if not str(base_url or "").startswith(("http://", "https://")):
        raise TypeError("The base_url is an address such as https://tieout.example.")


def _headers(tenant: str, credential: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {credential}", "X-Tenant-Id": tenant}
