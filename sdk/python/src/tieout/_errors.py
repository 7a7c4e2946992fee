from __future__ import annotations

import email.utils
import time
from typing import Any, Optional

import httpx

RETRIED = {408, 429, 500, 502, 503, 504}


class TieoutError(Exception):
    """A call that failed. `code` is for your program, the message for people.

    Codes without a response of the API: connection_failed, timeout, unexpected_response,
    incomplete_response, invalid_signature, failed.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: Optional[int] = None,
        reason: Optional[str] = None,
        request_id: Optional[str] = None,
        errors: Optional[list[dict[str, str]]] = None,
        retryable: bool = False,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.reason = reason
        self.request_id = request_id
        self.errors = errors or []
        self.retryable = retryable
        self.retry_after = retry_after
        """How many seconds the API asks to wait before the next attempt."""


def error_of(response: httpx.Response) -> TieoutError:
    """The error of a response that was read. It may come from a proxy and be no problem document."""
    problem: Any = None
    try:
        problem = response.json()
    except ValueError:
        pass
    if not isinstance(problem, dict):
        problem = {}
    status = response.status_code
    resolves = status == 409 and problem.get("retryable") is True
    return TieoutError(
        problem.get("code", "unexpected_response"),
        problem.get("detail", f"The response has status {status}."),
        status=status,
        reason=problem.get("reason"),
        request_id=problem.get("request_id", response.headers.get("x-request-id")),
        errors=problem.get("errors"),
        retryable=status in RETRIED or resolves,
        retry_after=_retry_after(response),
    )


def _retry_after(response: httpx.Response) -> Optional[float]:
    value = response.headers.get("retry-after", "")
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
