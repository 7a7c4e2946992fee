import { expect, test, vi } from "vitest";
import { getExceptionContract } from "../exceptions/contract.ts";
import { requestLog } from "../request-log/request-log.ts";
import { logCall } from "./log-call.ts";

test("an ID that no database keeps is logged as text that it does", () => {
  const add = vi.spyOn(requestLog(), "add").mockReturnValue();
  const request = new Request("http://localhost/v1/exceptions/exc_%00", { headers: { authorization: `Bearer tk_${"a".repeat(22)}.x` } });
  const exchange = { startedAt: performance.now(), sent: null, answered: "{}", errorCode: "not_found" as const, made: null };
  const caller = {
    request,
    requestId: "req_1",
    params: { id: `exc_\0${"x".repeat(194)}\u{1F9FE}` },
    address: null,
    reply: new Headers(),
    trail: { written: false },
    exchange,
  };
  logCall(getExceptionContract, caller, new Response("{}", { status: 404 }));
  expect(add.mock.calls[0]?.[0].resource).toBe(`exc_\uFFFD${"x".repeat(194)}\uFFFD`);
});
