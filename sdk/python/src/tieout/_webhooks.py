from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Mapping, Optional, Sequence, Union

from ._errors import TieoutError

TOLERANCE_SECONDS = 300


def unwrap(
    raw_body: Union[bytes, str], headers: Mapping[str, str], secret: Union[str, Sequence[str]]
) -> dict[str, Any]:
    """Verifies a delivery and returns its event, with its `id`.

    With several secrets, one of them must match; those that aren't set are left out. Raises
    TieoutError `invalid_signature`. Pass the raw body: JSON that was parsed and written again has
    other bytes.
    """
    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    found = {name.lower(): value for name, value in headers.items()}
    event_id, timestamp = found.get("webhook-id", ""), found.get("webhook-timestamp", "")
    if not re.fullmatch(r"[0-9]{1,15}", timestamp):
        raise _refused("The webhook-timestamp is missing.")
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise _refused("The webhook-timestamp is more than 5 minutes off.")
    signatures = [
        one[3:] for one in found.get("webhook-signature", "").split(" ") if one.startswith("v1,")
    ]
    secrets = [one for one in ([secret] if isinstance(secret, str) else secret) if one]
    if not secrets:
        raise _refused("The secret is empty.")
    for one in secrets:
        expected = _signature(one, event_id, timestamp, body)
        if any(hmac.compare_digest(expected, given.encode()) for given in signatures):
            return {**json.loads(body), "id": event_id}
    raise _refused("No signature fits the secret and the raw body.")


def sign(
    raw_body: Union[bytes, str],
    secret: str,
    *,
    id: str = "evt_test",
    at: Optional[float] = None,
) -> dict[str, str]:
    """The headers of a signed delivery, to test a receiver with."""
    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    timestamp = str(int(time.time() if at is None else at))
    return {
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{_signature(secret, id, timestamp, body).decode()}",
    }


def _signature(secret: str, event_id: str, timestamp: str, body: bytes) -> bytes:
    signed = f"{event_id}.{timestamp}.".encode() + body
    return base64.b64encode(hmac.new(_key(secret), signed, hashlib.sha256).digest())


def _key(secret: str) -> bytes:
    key = secret.encode()
    if secret.startswith("whsec_"):
        text = secret[6:].replace("-", "+").replace("_", "/").rstrip("=")
        try:
            key = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
        except binascii.Error:
            key = b""
    if not key:
        raise _refused("The secret is empty, or what follows whsec_ is no base64.")
    return key


def _refused(message: str) -> TieoutError:
    return TieoutError("invalid_signature", message)
