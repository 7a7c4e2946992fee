import { beforeEach, describe, expect, test } from "vitest";
import { creating } from "#e2e/exception-statements.ts";
import { type Answer, api, sql, userToken } from "#e2e/fixtures.ts";
import type { SlaList } from "#lib/exceptions/contract.ts";
import { tenantWithLead } from "./exceptions.ts";

const LIST = "/v1/exceptions/sla";
const CHANGES = `${LIST}/changes`;
const HOUR_MS = 3_600_000;

let team: Awaited<ReturnType<typeof tenantWithLead>>;
beforeEach(async () => {
  team = await tenantWithLead();
});

/** Exceptions that were last changed an hour ago. */
async function createOld(dueInSeconds: readonly number[]): Promise<{ id: string; due_at: Date }[]> {
  return sql(
    creating(
      `'tenant_id', $1::text, 'title', 'Old', 'severity', 'high', 'created_by', 'user:leo',
       'due_at', now() + s * interval '1 second', 'updated_at', now() - interval '1 hour'`,
      "unnest($2::int[]) s",
    ),
    [team.tenant, dueInSeconds],
  );
}

function poll(
  path: string,
  {
    known,
    query,
    as = team,
  }: { known?: Answer; query?: Record<string, string>; as?: typeof team } = {},
): Promise<Answer> {
  return api("GET", path, {
    bearer: as.lead,
    tenant: as.tenant,
    query,
    headers: known ? { "If-None-Match": tagOf(known) } : {},
  });
}

const tagOf = ({ headers }: Answer) => headers.get("etag") ?? "";

/** The time until which a tag is valid, in ms since 1970. */
const endOf = (answer: Answer) => Number.parseInt(/-([^-]+)"$/.exec(tagOf(answer))?.[1] ?? "", 36);

test("a poll is 304 without a body until an exception changes", async () => {
  await createOld([4 * HOUR_MS]);
  const first = await poll(LIST);
  const again = await poll(LIST, { known: first });
  expect([again.status, again.text, tagOf(again)]).toEqual([304, "", tagOf(first)]);
  await team.create({ title: "New" });
  const changed = await poll(LIST, { known: first });
  expect(changed.status).toBe(200);
  expect((changed.json as SlaList).items).toHaveLength(2);
});

test("the tag of a new change is never valid, because an earlier change may still be committed", async () => {
  await team.create();
  const first = await poll(LIST);
  expect(endOf(first)).toBeLessThanOrEqual(Date.parse((first.json as SlaList).as_of));
  expect((await poll(LIST, { known: first })).status).toBe(200);
});

describe("a tag is valid", () => {
  test.each([
    ["until an exception breaches", [40, 5 * HOUR_MS], 40, {}],
    ["until a risk becomes high", [59 * 60 + 30], 30, {}],
    ["until a deadline comes within withinMinutes", [6030], 30, { withinMinutes: "100" }],
    ["for a minute if nothing happens", [5 * HOUR_MS], null, {}],
  ])("%s", async (_, due, crosses, query) => {
    const [created] = await createOld(due);
    const first = await poll(LIST, { query });
    const asOf = Date.parse((first.json as SlaList).as_of);
    const expected =
      crosses === null
        ? asOf + 60_000
        : (created?.due_at.getTime() ?? 0) - ((due[0] ?? 0) - crosses) * 1000;
    expect(endOf(first)).toBe(expected);
  });

  test("only until its end", async () => {
    await createOld([5 * HOUR_MS]);
    const first = await poll(LIST);
    const late = tagOf(first).replace(/-[^-]+"$/, `-${(Date.now() - HOUR_MS).toString(36)}"`);
    const again = await api("GET", LIST, {
      bearer: team.lead,
      tenant: team.tenant,
      headers: { "If-None-Match": late },
    });
    expect(again.status).toBe(200);
  });
});

test("a tag is valid neither for other filters, nor for another user or tenant", async () => {
  const first = await poll(LIST);
  expect((await poll(LIST, { known: first })).status).toBe(304);
  expect((await poll(LIST, { known: first, query: { severity: "low" } })).status).toBe(200);
  expect((await poll(LIST, { known: first, as: await tenantWithLead() })).status).toBe(200);
  const ben = await userToken(team.tenant, ["tenant_lead"], "ben");
  expect((await poll(LIST, { known: first, as: { ...team, lead: ben } })).status).toBe(200);
});

test("a poll of changes continues with the time and the tag of the last one", async () => {
  await createOld([5 * HOUR_MS]);
  const since = ((await poll(LIST)).json as SlaList).as_of;
  const first = await poll(CHANGES, { query: { since } });
  const next = { since: (first.json as SlaList).as_of };
  expect((await poll(CHANGES, { known: first, query: next })).status).toBe(304);
  // A 304 would miss changes from before the tag.
  expect((await poll(CHANGES, { known: first, query: { since } })).status).toBe(200);
  await team.create();
  expect((await poll(CHANGES, { known: first, query: next })).status).toBe(200);
});
