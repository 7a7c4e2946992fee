"""A server that answers each request by the next step of a script."""

from __future__ import annotations

import json
import socket
import struct
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Optional

Step = Callable[[BaseHTTPRequestHandler], None]


class ScriptServer:
    def __init__(self) -> None:
        self.received: list[dict[str, Any]] = []
        self._steps: list[Step] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                body = self.rfile.read(length)
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.received.append(
                    {"method": self.command, "path": self.path, "headers": headers, "body": body}
                )
                outer._steps.pop(0)(self)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_any

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def script(self, *steps: Step) -> None:
        self.received.clear()
        self._steps = list(steps)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def reply(
    status: int, body: Any, headers: Optional[dict[str, str]] = None, type: str = "application/json"
) -> Step:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()

    def step(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        fields = {"content-type": type, "content-length": str(len(content)), "x-request-id": "req_1"}
        for name, value in {**fields, **(headers or {})}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)

    return step


def problem(status: int, headers: Optional[dict[str, str]] = None, **more: Any) -> Step:
    return reply(status, {"detail": "No.", "request_id": "req_9", **more}, headers)


def refuse(handler: BaseHTTPRequestHandler) -> None:
    """Resets the connection without a response."""
    linger = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    handler.close_connection = True
    handler.connection.close()


def cut(handler: BaseHTTPRequestHandler) -> None:
    """Ends the connection within the body."""
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"id":')
    handler.close_connection = True


def late(seconds: float, body: Any) -> Step:
    """Responds after a while. Tests replace `time.sleep`, so an event waits."""

    def step(handler: BaseHTTPRequestHandler) -> None:
        threading.Event().wait(seconds)
        reply(200, body)(handler)

    return step


def trickle(handler: BaseHTTPRequestHandler) -> None:
    """Sends a byte at a time, so that no read waits for long."""
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", "60")
    handler.end_headers()
    handler.close_connection = True
    try:
        for _ in range(60):
            handler.wfile.write(b" ")
            threading.Event().wait(0.05)
    except OSError:
        pass
