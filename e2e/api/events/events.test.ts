import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { api, stack } from "#e2e/fixtures.ts";
import { Subscriber } from "#e2e/webhooks/subscriber.ts";
import { EVENTS } from "#lib/events/contract.ts";
import type { Event, EventPage } from "#lib/events/feed/contract.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import { EVENT_KINDS, type EventKind } from "#lib/wire/event-kinds.ts";
import { Tieout } from "../../../sdk/typescript/src/index.ts";

import { tenantWithAdmin } from "../api-keys/keys.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { receiver } from "../webhooks/shared-receiver.ts";

let team: Awaited<ReturnType<typeof tenantWithAdmin>>;
beforeAll(async () => {
  team = await tenantWithAdmin();
});

const list = async (query: Record<string, string> = {}, bearer = team.admin) => {
  const answer = await api("GET", "/v1/events", { bearer, tenant: team.tenant, query });
  expect(answer.status, answer.text).toBe(200);
  return answer.json as EventPage;
};

async function report(title: string): Promise<Exception> {
  const body = { title, severity: "low" };
  const { json } = await api("POST", "/v1/exceptions", {
    bearer: team.admin,
    tenant: team.tenant,
    body,
  });
  return json as Exception;
}

test("an event equals the payload of its delivery, under the same ID", async () => {
  const subscriber = await Subscriber.create(receiver);
  const webhook = await subscriber.register(["exception.created"]);
  await subscriber.call("POST", "/v1/exceptions", { title: "Payout 4711", severity: "low" });
  const [delivered] = await webhook.gets(1);
  const { items } = await subscriber.call<EventPage>("GET", "/v1/events?types=exception.created");
  const { id, subject, ...body } = items[0] as Event;
  expect(body).toEqual(JSON.parse(delivered?.body ?? ""));
  expect(id).toBe(delivered?.headers["webhook-id"]);
  expect(await subscriber.call("GET", `/v1/events/${id}`)).toEqual(items[0]);
  expect(await subscriber.call<EventPage>("GET", `/v1/events?subject=${subject}`)).toMatchObject({
    items: [{ id }],
  });
});

test("a cursor continues where it was returned, and a waiting call receives new events", async () => {
  const { resume_cursor: cursor } = await list();
  expect((await list({ cursor })).items).toEqual([]);
  const waiting = list({ cursor, wait: "20" });
  const { id } = await report("Reported during a waiting call");
  expect((await waiting).items).toMatchObject([{ type: "exception.created", subject: id }]);
});

test("a cursor works for other types and lists later events; since also lists earlier ones", async () => {
  const { id: subject } = await report("Before the cursor");
  const { resume_cursor: cursor } = await list({ types: "run.done" });
  const later = await report("Behind the cursor");
  const types = "exception.created";
  expect((await list({ types, cursor })).items).toMatchObject([{ subject: later.id }]);
  const since = new Date(Date.now() - 3_600_000).toISOString();
  expect((await list({ types, since, subject })).items).toHaveLength(1);
});

test("a cursor of another tenant shows nothing of it", async () => {
  const other = await tenantWithAdmin();
  const { id } = await report("Of this tenant");
  const answer = await api("GET", "/v1/events", { bearer: other.admin, tenant: other.tenant });
  const { resume_cursor: cursor } = answer.json as EventPage;
  const theirs = await api("GET", "/v1/events", {
    bearer: other.admin,
    tenant: other.tenant,
    query: { cursor: (await list({ subject: id })).resume_cursor, subject: id },
  });
  expect(theirs.json).toMatchObject({ items: [], next_cursor: null });
  const later = await report("After their cursor");
  expect((await list({ cursor, subject: later.id })).items).toHaveLength(1);
});

test.each([
  ["a wait of more than 20 seconds", { wait: "21" }, "wait"],
  ["an unknown type", { types: "exception.exploded" }, "types"],
  ["a time without a zone", { since: "2026-11-20T09:30:00" }, "since"],
  ["a cursor that was edited", { cursor: "WyJldmVudHMiLFsiLTEiXV0" }, "cursor"],
  ["an unknown parameter", { after: "1" }, "after"],
])("%s is refused by name", async (_name, query, path) => {
  const answer = await api("GET", "/v1/events", { bearer: team.admin, tenant: team.tenant, query });
  expectProblem(answer, "invalid_request");
  expect(answer.json).toMatchObject({ errors: [{ path: expect.stringContaining(path) }] });
});

test("a time before the last 30 days starts with the oldest event there is", async () => {
  const oldest = await list({ limit: "1" });
  expect(await list({ limit: "1", since: "2020-01-01T00:00:00Z" })).toMatchObject({
    items: oldest.items,
  });
});

/** A waiting call that can be cancelled, which `api` doesn't support. */
const waitingCall = (cursor: string, signal: AbortSignal) =>
  fetch(`${stack.url}/v1/events?wait=20&cursor=${cursor}`, {
    headers: { Authorization: `Bearer ${team.admin}`, "X-Tenant-Id": team.tenant },
    signal,
  });

test("waiting calls that were cancelled don't delay the others", async () => {
  const { resume_cursor: cursor } = await list();
  const cancel = new AbortController();
  const cancelled = Array.from({ length: 200 }, () => waitingCall(cursor, cancel.signal));
  await sleep(2_000);
  cancel.abort();
  expect(await Promise.allSettled(cancelled)).toContainEqual(
    expect.objectContaining({ status: "rejected" }),
  );
  const waiting = list({ cursor, wait: "20" });
  // Gives the call time to start waiting before the event.
  await sleep(500);
  const { id } = await report("Reported after the cancelled calls");
  const reportedAt = performance.now();
  expect((await waiting).items).toMatchObject([{ subject: id }]);
  expect(performance.now() - reportedAt).toBeLessThan(5_000);
});

test("a key reads only events within its scopes, and a refusal names the missing scope", async () => {
  const key = async (...scopes: string[]) => (await team.create({ scopes })).credential;
  await report("For keys");
  const types = new Set((await list({}, await key("read:exceptions"))).items.map((e) => e.type));
  const reads = (kind: EventKind) => EVENTS[kind].reads === "read:exceptions";
  expect([...types].every(reads)).toBe(true);
  expect(types).toContain("exception.created");
  expect((await list({}, await key("read:reconciliations"))).items).toEqual([]);
  const ask = async (bearer: string, query: Record<string, string> = {}) =>
    api("GET", "/v1/events", { bearer, tenant: team.tenant, query });
  expectProblem(await ask(await key("read:integrations")), "scope_required");
  expectProblem(
    await ask(await key("read:reconciliations"), { types: "exception.created" }),
    "scope_required",
  );
});

test("a key that is revoked while it waits reads nothing more", async () => {
  const key = await team.create({ scopes: ["read:exceptions"] });
  const { resume_cursor: cursor } = await list({}, key.credential);
  const waiting = api("GET", "/v1/events", {
    bearer: key.credential,
    tenant: team.tenant,
    query: { cursor, wait: "20" },
  });
  await team.call("DELETE", `/${key.id}`);
  await report("After the revocation");
  expectProblem(await waiting, "unauthenticated");
});

test("a test event is read only by those who ask for tests", async () => {
  for (const type of EVENT_KINDS.filter((kind) => kind !== "webhook.test")) {
    const { json } = await api("POST", "/v1/events", {
      bearer: team.admin,
      tenant: team.tenant,
      body: { type },
    });
    const sent = json as Event;
    expect(EVENTS[type].data.safeParse(sent.data).success, type).toBe(true);
    const query = { types: type, test: "true", limit: "250" };
    expect((await list(query)).items).toContainEqual(sent);
    expect((await list({ types: type, limit: "250" })).items).not.toContainEqual(sent);
  }
});

test("the SDK reads continuously, saves its position and resumes from it", async () => {
  const tieout = new Tieout({
    token: async () => team.admin,
    tenant: team.tenant,
    baseUrl: stack.url,
  });
  let cursor: string | undefined = (await list()).resume_cursor;
  const save = (saved: string) => {
    cursor = saved;
  };
  const read = async (count: number) => {
    const subjects: (string | null)[] = [];
    const query = { cursor, types: ["exception.created" as const], limit: 2 };
    for await (const event of tieout.events.poll(query, { save })) {
      if (event.type === "exception.created") subjects.push(event.data.exception.id);
      if (subjects.length === count) break;
    }
    return subjects;
  };
  const [first, second, third] = [await report("1"), await report("2"), await report("3")];
  expect(await read(3)).toEqual([first.id, second.id, third.id]);
  // The previous read stopped within the second page, which is read again.
  expect(await read(1)).toEqual([third.id]);
});
