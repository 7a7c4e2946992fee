import { expect, test } from "vitest";
import type { Context } from "../request/context.ts";
import { polledTag, readKnown } from "./polled.ts";

const STATE = {
  changed_at: "2026-11-27T09:00:00.000Z",
  as_of: "2026-11-27T10:00:00.000Z",
  until: "2026-11-27T10:01:00.000Z",
};
const MINE = "https://tieout.test/v1/exceptions/sla?assigned_to=me";

function ctxOf(lineageId: string, tenantId = "acme"): Context {
  return { tenantId, principal: { type: "user", lineageId }, state: STATE } as Context;
}

function request(url: string, tag?: string | null): Request {
  return new Request(url, { headers: tag ? { "If-None-Match": tag } : {} });
}

const tagOf = (url: string, ctx = ctxOf("ada")) => polledTag(request(url), ctx);

test("a tag contains the state from which its response was read", () => {
  expect(readKnown(request(MINE, tagOf(MINE)), ctxOf("ada"))).toEqual(STATE);
  expect(readKnown(request(MINE, `"x", ${tagOf(MINE)}`), ctxOf("ada"))).toEqual(STATE);
});

test("a tag of changes is also valid for the next since", () => {
  const changes = (day: number) => `${MINE}&since=2026-11-${day}T00:00:00Z`;
  expect(readKnown(request(changes(27), tagOf(changes(26))), ctxOf("ada"))).toEqual(STATE);
});

test.each([
  ["without the header", request(MINE), ctxOf("ada")],
  ["for *", request(MINE, "*"), ctxOf("ada")],
  ["for other filters", request(`${MINE}&q=x`, tagOf(MINE)), ctxOf("ada")],
  ["for another tenant", request(MINE, tagOf(MINE)), ctxOf("ada", "globex")],
  // For another caller, `me` means another user.
  ["for another caller", request(MINE, tagOf(MINE)), ctxOf("ben")],
])("no state is known %s", (_, polled, ctx) => {
  expect(readKnown(polled, ctx)).toBeNull();
});
