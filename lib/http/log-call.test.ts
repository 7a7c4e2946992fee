import { expect, test, vi } from "vitest";
import { estimateApiKeyImpactContract, updateApiKeyContract } from "../api-keys/contract.ts";
import type { UserIdentity } from "../auth/principal.ts";
import { getExceptionContract } from "../exceptions/contract.ts";
import { requestLog } from "../request-log/request-log.ts";
import { recoverWebhookContract } from "../webhooks/contract.ts";
import type { Contract } from "../wire/contract.ts";
import { logCall } from "./log-call.ts";

test("logs a resource ID that Postgres cannot store as storable text", () => {
  const add = vi.spyOn(requestLog(), "add").mockReturnValue();
  const request = new Request("http://localhost/v1/exceptions/exc_%00", {
    headers: { authorization: `Bearer tk_${"a".repeat(22)}.x` },
  });
  const exchange = {
    startedAt: performance.now(),
    requestBody: null,
    responseBody: "{}",
    errorCode: "not_found" as const,
    createdId: null,
    isAuthorized: true,
    isPreview: false,
    waited: { ms: 0 },
  };
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

test("logs a dashboard's changes and failures, but not its reads and previews", () => {
  const identity: UserIdentity = {
    type: "user",
    issuer: "",
    id: "ada",
    name: "ada",
    memberships: new Map(),
    sessionId: "ses_1",
  };
  const isLogged = (
    contract: unknown,
    { body = {}, isPreview = false, status = 200, sessionId = "ses_1" as string | null } = {},
  ) => {
    const add = vi.spyOn(requestLog(), "add").mockReset().mockReturnValue();
    const sent = Buffer.from(JSON.stringify(body));
    const exchange = {
      startedAt: performance.now(),
      requestBody: sent,
      isAuthorized: true,
      responseBody: "{}",
      errorCode: null,
      createdId: null,
      isPreview,
      waited: { ms: 0 },
    };
    const request = new Request("http://localhost/v1/any");
    const call = {
      request,
      requestId: "req_1",
      params: {},
      address: null,
      reply: new Headers(),
      trail: { written: false },
      exchange,
    };
    logCall(
      contract as Contract,
      { ...call, identity: { ...identity, sessionId } },
      new Response("{}", { status }),
    );
    return add.mock.calls.length === 1;
  };
  expect(isLogged(getExceptionContract)).toBe(false);
  expect(isLogged(estimateApiKeyImpactContract, { body: { revoke: true }, isPreview: true })).toBe(
    false,
  );
  expect(
    isLogged(recoverWebhookContract, {
      body: { since: "2026-11-20T00:00:00.000Z", dry_run: true },
      isPreview: true,
    }),
  ).toBe(false);
  expect(isLogged(recoverWebhookContract, { body: { since: "2026-11-20T00:00:00.000Z" } })).toBe(
    true,
  );
  expect(isLogged(updateApiKeyContract, { body: { name: "dry_run" } })).toBe(true);
  expect(isLogged(getExceptionContract, { status: 404 })).toBe(true);
  expect(isLogged(estimateApiKeyImpactContract, { isPreview: true, sessionId: null })).toBe(true);
});
