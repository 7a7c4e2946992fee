import { afterAll, beforeAll, expect, test } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { type Trail, tenantWithTrail } from "../security-events/trail.ts";
import { Explainer } from "./explained.ts";

/** Enough that reading all of them is not the cheapest plan. */
const EVENTS = 12_000;
/** A page of events, and those that a search for a common word finds before it gives up. */
const READ_MAX = 6_000;
const explainer = new Explainer(/^security_events$/);

let trail: Trail;

beforeAll(async () => {
  trail = await tenantWithTrail();
  await sql(
    `insert into public.security_events (tenant_id, type, actor, target, reason, details)
     select $1, 'source.created', 'user:u' || n % 50, 'src_' || n,
       case n when 17 then 'Zebra crossing' end, jsonb_build_object('name', 'Bank ' || n)
     from generate_series(1, $2::integer) n`,
    [trail.tenant, EVENTS],
  );
  await sql("analyze public.security_events");
  await explainer.open();
});
afterAll(() => explainer.close());

test.each([
  ["a rare word", "zebra"],
  ["two words, one of them common", "bank crossing"],
  ["a word that no event has", "xylophone"],
  ["a common word", "bank"],
])("a search for %s among 12,000 events reads no more than a page needs", async (_what, q) => {
  const input = { limit: 50, q };
  expect(await explainer.tooMuch(trail.tenant, "list_security_events", input, READ_MAX)).toEqual(
    [],
  );
  expect(await explainer.acrossTenants(trail.tenant, "list_security_events", input)).toEqual([]);
});

test("a search finds the old event by its reason", async () => {
  const { items } = await trail.list({ q: "zebra cross" });
  expect(items.map(({ target }) => target)).toEqual(["src_17"]);
});
