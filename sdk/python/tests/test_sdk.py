from __future__ import annotations

import asyncio
import os
import re
import tempfile
import time
import unittest
from decimal import Decimal
from typing import Any, Callable, get_args, get_type_hints
from unittest.mock import patch

from script_server import ScriptServer, cut, late, problem, refuse, reply, trickle

from tieout import AsyncTieout, Tieout, TieoutError, sign, to_decimal, to_minor, types, unwrap

CREATED = reply(201, {"id": "exc_1"})
NEW: Any = {"title": "Payout", "severity": "high"}
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


class Both(unittest.TestCase):
    """Each test runs with the synchronous and the asynchronous client."""

    server: ScriptServer

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = ScriptServer()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.close()

    def both(self, check: Callable[[Callable[..., Any]], None]) -> None:
        """`check` gets a function that runs `work(client, await_)` with a client."""
        options: Any = {"tenant": "acme", "base_url": f"{self.server.url}/", "key": "id.secret"}
        slept: list[float] = []

        async def no_sleep(seconds: float) -> None:
            slept.append(seconds)

        with patch("time.sleep", slept.append), patch("asyncio.sleep", no_sleep):
            self.slept = slept
            for name in ("sync", "async"):
                with self.subTest(name):
                    slept.clear()
                    if name == "sync":
                        with Tieout(**options) as client:
                            check(lambda work: _finished(work(client)))
                    else:
                        check(lambda work: asyncio.run(_in_async(options, work)))


async def _in_async(options: Any, work: Callable[[Any], Any]) -> Any:
    async with AsyncTieout(**options) as client:
        found = work(client)
        if hasattr(found, "__aiter__"):
            return [one async for one in found]
        return await found if asyncio.iscoroutine(found) else found


def _finished(found: Any) -> Any:
    return list(found) if hasattr(found, "__iter__") and not isinstance(found, dict) else found


class Calls(Both):
    def test_a_call_sends_the_credential_the_tenant_its_body_and_a_key(self) -> None:
        def check(run: Callable[..., Any]) -> None:
            self.server.script(CREATED)
            self.assertEqual(run(lambda t: t.exceptions.create(NEW)), {"id": "exc_1"})
            [request] = self.server.received
            self.assertEqual((request["method"], request["path"]), ("POST", "/v1/exceptions"))
            self.assertEqual(request["headers"]["authorization"], "Bearer id.secret")
            self.assertEqual(request["headers"]["x-tenant-id"], "acme")
            self.assertRegex(request["headers"]["idempotency-key"], r"^[0-9a-f-]{36}$")

        self.both(check)

    def test_failures_that_pass_are_retried_with_the_same_key(self) -> None:
        steps = {
            "reset": refuse,
            "cut": cut,
            "408": problem(408),
            "429": problem(429, {"retry-after": "1"}),
            "500": problem(500),
            "502 of a proxy": reply(502, b"<html>", type="text/html"),
            "503": problem(503, {"retry-after": "2"}),
            "409 that resolves by itself": problem(409, code="conflict", retryable=True),
        }
        for name, step in steps.items():

            def check(run: Callable[..., Any], step: Any = step) -> None:
                self.server.script(step, step, CREATED)
                self.assertEqual(run(lambda t: t.exceptions.create(NEW)), {"id": "exc_1"})
                keys = {one["headers"]["idempotency-key"] for one in self.server.received}
                self.assertEqual((len(self.server.received), len(keys)), (3, 1))

            with self.subTest(name):
                self.both(check)

    def test_failures_that_stay_are_raised_at_once(self) -> None:
        for status in (400, 401, 403, 404, 409, 412, 422):

            def check(run: Callable[..., Any], status: int = status) -> None:
                errors = [{"path": "title", "message": "Too long."}]
                self.server.script(problem(status, code="no", reason="state", errors=errors))
                with self.assertRaises(TieoutError) as caught:
                    run(lambda t: t.exceptions.create(NEW))
                error = caught.exception
                self.assertEqual((error.status, error.code, error.reason), (status, "no", "state"))
                self.assertEqual((error.request_id, error.errors), ("req_9", errors))
                self.assertEqual(len(self.server.received), 1)

            self.both(check)

    def test_a_page_of_a_proxy_is_an_error_whatever_its_status(self) -> None:
        def check(run: Callable[..., Any]) -> None:
            self.server.script(reply(200, b"<html>", type="text/html"), CREATED)
            with self.assertRaises(TieoutError) as caught:
                run(lambda t: t.exceptions.create(NEW))
            found = (caught.exception.code, caught.exception.status)
            self.assertEqual(found, ("unexpected_response", 200))
            self.assertEqual(len(self.server.received), 1)

        self.both(check)

    def test_a_failed_connection_names_the_address(self) -> None:
        def check(run: Callable[..., Any]) -> None:
            self.server.script(*[refuse] * 6)
            with self.assertRaisesRegex(TieoutError, f"The connection to {self.server.url} failed"):
                run(lambda t: t.exceptions.create(NEW))

        self.both(check)

    def test_a_client_without_its_options_raises_before_any_call(self) -> None:
        options = {"key": "id.secret", "tenant": "acme", "base_url": "https://tieout.example"}
        no_key, no_tenant = [{"key": None}, {"key": ""}], [{"tenant": ""}]
        no_address = [{"base_url": ""}, {"base_url": "localhost:3000"}]
        for missing in [*no_key, *no_tenant, *no_address]:
            for kind in (Tieout, AsyncTieout):
                with self.subTest(missing), self.assertRaises(TypeError):
                    kind(**{**options, **missing})

    def test_retry_after_is_the_minimum_and_beyond_the_deadline_fails(self) -> None:
        def check(run: Callable[..., Any]) -> None:
            self.server.script(problem(503, {"retry-after": "7"}), CREATED)
            run(lambda t: t.exceptions.create(NEW))
            self.assertGreater(self.slept[-1], 7)
            self.server.script(problem(503, {"retry-after": "61"}, code="unavailable"))
            with self.assertRaises(TieoutError) as caught:
                run(lambda t: t.exceptions.create(NEW))
            self.assertEqual(caught.exception.code, "unavailable")

        self.both(check)

    def test_a_response_that_trickles_ends_at_the_deadline(self) -> None:
        def check(run: Callable[..., Any]) -> None:
            self.server.script(trickle, trickle, trickle, trickle)
            started = time.monotonic()
            with self.assertRaises(TieoutError) as caught:
                run(lambda t: t.exceptions.get("exc_1", deadline=0.6))
            self.assertEqual(caught.exception.code, "timeout")
            self.assertLess(time.monotonic() - started, 2)

        self.both(check)

    def test_a_call_without_a_deadline_can_be_made(self) -> None:
        def check(run: Callable[..., Any]) -> None:
            self.server.script(CREATED)
            run(lambda t: t.exceptions.create(NEW, deadline=float("inf")))

        self.both(check)

    def test_a_long_poll_has_the_time_that_it_asks_for_besides_the_deadline(self) -> None:
        def check(run: Callable[..., Any]) -> None:
            page = {"items": [], "next_cursor": None, "resume_cursor": "1"}
            self.server.script(late(0.7, page))
            found = run(lambda t: t.events.list(wait=1, deadline=0.6).page())
            self.assertEqual((found, len(self.server.received)), (page, 1))

        self.both(check)

    def test_polling_waits_as_long_as_the_api_asks_for(self) -> None:
        class Ended(Exception):
            pass

        def end(_: str) -> None:
            raise Ended

        def check(run: Callable[..., Any]) -> None:
            page = {"items": [], "next_cursor": None, "resume_cursor": "1"}
            self.server.script(problem(429, {"retry-after": "120"}), reply(200, page))
            with self.assertRaises(Ended):
                run(lambda t: t.poll_events(save=end))
            self.assertGreaterEqual(self.slept[0], 120)

        self.both(check)

    def test_with_response_has_what_the_response_says_beyond(self) -> None:
        def check(run: Callable[..., Any]) -> None:
            headers = {"etag": '"1"', "ratelimit": '"calls";r=12;t=30', "idempotency-replayed": "true"}
            self.server.script(reply(200, {"id": "exc_1"}, headers))
            found = run(lambda t: t.exceptions.with_response.get("exc_1"))
            self.assertEqual(found.data, {"id": "exc_1"})
            self.assertEqual((found.request_id, found.etag, found.replayed), ("req_1", '"1"', True))
            self.assertEqual(found.rate_limit, (12, 30))

        self.both(check)

    def test_paths_are_encoded_lists_joined_and_an_id_cannot_be_left_out(self) -> None:
        def check(run: Callable[..., Any]) -> None:
            self.server.script(reply(200, {}))
            run(lambda t: t.exceptions.get("a/b"))
            self.assertEqual(self.server.received[0]["path"], "/v1/exceptions/a%2Fb")
            with self.assertRaises(TypeError):
                run(lambda t: t.exceptions.get(""))

        self.both(check)

    def test_a_list_iterates_all_pages_with_the_same_query(self) -> None:
        def check(run: Callable[..., Any]) -> None:
            self.server.script(
                reply(200, {"items": [{"id": "1"}], "next_cursor": "c"}),
                problem(503),
                reply(200, {"items": [{"id": "2"}], "next_cursor": None}),
            )
            rows = run(lambda t: t.exceptions.list(severity=["high", "low"]))
            self.assertEqual(rows, [{"id": "1"}, {"id": "2"}])
            self.assertEqual(
                self.server.received[2]["path"], "/v1/exceptions?severity=high%2Clow&cursor=c"
            )

        self.both(check)

    def test_a_file_is_read_again_on_a_retry(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bank.csv")
            with open(path, "wb") as file:
                file.write(b"a,b\n1,2\n")

            def check(run: Callable[..., Any]) -> None:
                self.server.script(problem(503), reply(202, {"id": "imp_1"}))
                run(lambda t: t.sources.create_import("src_1", path))
                bodies = [one["body"] for one in self.server.received]
                chunked = self.server.received[0]["headers"].get("transfer-encoding")
                self.assertTrue(chunked or bodies == [b"a,b\n1,2\n"] * 2)

            self.both(check)


class ListTypes(unittest.TestCase):
    def test_the_items_of_each_list_have_a_type(self) -> None:
        with open(str(types.__file__), encoding="utf8") as file:
            items = re.findall(r'^\w+ = list\["(\w+)"\]$', file.read(), re.MULTILINE)
        self.assertGreater(len(items), 5)
        self.assertEqual([name for name in items if not hasattr(types, name)], [])


class Tokens(unittest.TestCase):
    def test_a_token_that_never_comes_ends_with_the_deadline(self) -> None:
        async def token() -> str:
            await asyncio.sleep(60)
            return "late"

        async def call() -> None:
            address = {"tenant": "acme", "base_url": "http://127.0.0.1:9"}
            async with AsyncTieout(**address, token=token, deadline=0.3) as tieout:
                await tieout.me.get()

        start = time.monotonic()
        with self.assertRaises(TieoutError) as caught:
            asyncio.run(call())
        self.assertEqual(caught.exception.code, "timeout")
        self.assertLess(time.monotonic() - start, 10)


class Exports(Both):
    NDJSON = "application/x-ndjson"

    def test_an_export_yields_its_rows_without_its_mark(self) -> None:
        def check(run: Callable[..., Any]) -> None:
            text = '{"id":"ä"}\n{"id":"b"}\n{"$end":{"rows":2}}\n'.encode()
            self.server.script(reply(200, text, type=self.NDJSON))
            self.assertEqual(run(lambda t: t.exceptions.export()), [{"id": "ä"}, {"id": "b"}])
            self.assertEqual(
                self.server.received[0]["path"],
                "/v1/exceptions/export?format=ndjson&end_mark=true",
            )

        self.both(check)

    def test_an_export_that_was_cut_raises_between_two_rows_too(self) -> None:
        texts = (
            b'{"id":"a"}\n',
            b'{"id":"a"}\n{"id',
            b"",
            b'{"id":"a"}\n{"$end":{"rows":2}}\n',
        )
        for text in texts:

            def check(run: Callable[..., Any], text: bytes = text) -> None:
                self.server.script(reply(200, text, type=self.NDJSON))
                with self.assertRaises(TieoutError) as caught:
                    run(lambda t: t.exceptions.export())
                self.assertEqual(caught.exception.code, "incomplete_response")

            self.both(check)


    def test_a_cell_with_line_breaks_and_quotes_is_one_row(self) -> None:
        csv = b'id,note\r\n1,"a\r\n""b""\n,' + b"c" * 100 + b'"\r\n2,d\r\n'

        def check(run: Callable[..., Any]) -> None:
            self.server.script(reply(200, csv + b"#end,2\r\n", type="text/csv; charset=utf-8"))
            parts = run(lambda t: t.exceptions.export(format="csv").bytes())
            self.assertEqual(b"".join(parts), csv)
            self.server.script(reply(200, csv + b"#end,3\r\n", type="text/csv; charset=utf-8"))
            with self.assertRaisesRegex(TieoutError, "was cut"):
                run(lambda t: t.exceptions.export(format="csv").bytes())

        self.both(check)

    def test_evidence_and_a_ledgers_file_are_files_of_any_kind_without_a_mark(self) -> None:
        def check(run: Callable[..., Any]) -> None:
            file = reply(200, b"Approved by phone.", type="application/octet-stream")
            self.server.script(file, file)
            parts = run(lambda t: t.evidence.get_content("evd_1").bytes())
            self.assertEqual(b"".join(parts), b"Approved by phone.")
            parts = run(lambda t: t.entry_batches.get_ledger_file("bat_1", format="datev").bytes())
            self.assertEqual(b"".join(parts), b"Approved by phone.")

        self.both(check)


class Waiting(Both):
    def test_a_run_is_waited_for_and_its_failure_is_raised(self) -> None:
        def check(run: Callable[..., Any]) -> None:
            queued = reply(202, {"id": "run_1", "status": "queued"})
            failed = reply(200, {"id": "run_1", "status": "failed", "failure": "No lines."})
            self.server.script(queued, reply(200, {"id": "run_1", "status": "done"}))
            self.assertEqual(run(lambda t: t.run_and_wait("rcn_1"))["status"], "done")
            self.server.script(queued, failed)
            with self.assertRaisesRegex(TieoutError, "No lines."):
                run(lambda t: t.run_and_wait("rcn_1", {"dry_run": True}))
            self.assertEqual(self.server.received[0]["body"], b'{"dry_run": true}')
            self.server.script(reply(204, b""))
            with self.assertRaisesRegex(TieoutError, "The key lacks the read scope"):
                run(lambda t: t.run_and_wait("rcn_1"))

        self.both(check)


class Webhooks(unittest.TestCase):
    BODY = '{"type":"run.done","timestamp":"t","data":{"a":"ä"}}'

    def test_what_is_signed_is_unwrapped_with_either_secret(self) -> None:
        headers = sign(self.BODY, SECRET, id="evt_1")
        event = unwrap(self.BODY.encode(), headers, ["other secret", SECRET])
        self.assertEqual((event["id"], event["data"]), ("evt_1", {"a": "ä"}))

    def test_a_secret_that_is_not_set_yet_does_not_hide_the_one_that_fits(self) -> None:
        self.assertEqual(unwrap(self.BODY, sign(self.BODY, SECRET), ["", SECRET])["data"], {"a": "ä"})

    def test_a_signature_of_the_reference_implementation_fits(self) -> None:
        with patch("time.time", lambda: 1614265330):
            headers = {
                "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
                "Webhook-Timestamp": "1614265330",
                "Webhook-Signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            }
            self.assertEqual(unwrap('{"test": 2432232314}', headers, SECRET)["test"], 2432232314)

    def test_anything_else_is_refused(self) -> None:
        headers = sign(self.BODY, SECRET)
        late = sign(self.BODY, SECRET, at=time.time() - 301)
        for body, given, secret in (
            (f"{self.BODY} ", headers, SECRET),
            (self.BODY, {**headers, "webhook-id": "evt_2"}, SECRET),
            (self.BODY, {**headers, "webhook-signature": "v1,*"}, SECRET),
            (self.BODY, {**headers, "webhook-timestamp": "now"}, SECRET),
            (self.BODY, {**headers, "webhook-timestamp": "9" * 5000}, SECRET),
            (self.BODY, late, SECRET),
            (self.BODY, headers, ""),
            (self.BODY, headers, "whsec_*"),
        ):
            with self.assertRaises(TieoutError) as caught:
                unwrap(body, given, secret)
            self.assertEqual(caught.exception.code, "invalid_signature")


class Types(unittest.TestCase):
    def test_values_of_later_versions_are_allowed_in_what_is_returned_only(self) -> None:
        def kinds(of: Any, field: str) -> tuple[Any, ...]:
            return get_args(get_type_hints(of)[field])

        self.assertIn(str, kinds(types.Run, "status"))
        self.assertNotIn(str, kinds(types.CreateExceptionRequest, "severity"))
        self.assertIn(types.LaterValue, kinds(types.MatchingRule, "kind"))
        self.assertNotIn(str, kinds(types.MatchingRule, "kind"))


class Money(unittest.TestCase):
    def test_amounts_are_exact(self) -> None:
        self.assertEqual(to_decimal(125000, "EUR"), Decimal("1250.00"))
        self.assertEqual(str(to_decimal("-9007199254740993", "EUR")), "-90071992547409.93")
        self.assertEqual(str(to_decimal(5, "JPY")), "5")
        self.assertEqual(to_minor("1250.00", "EUR"), 125000)
        self.assertEqual(to_minor(Decimal("1.234"), "BHD"), 1234)
        for wrong in ("1.001", "", "NaN", "Infinity"):
            with self.assertRaises(ValueError):
                to_minor(wrong, "EUR")
        with self.assertRaises(TypeError):
            to_minor(1.5, "EUR")  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()
