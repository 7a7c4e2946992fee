import { expect, test } from "vitest";
import { databaseWithTwoTenants } from "../../bin/dev/migration/search-database.ts";

// How many pages of 8 kB lists of requests and deliveries read. A call examines a limited number of
// rows and can return an empty page, so that it stays short however few rows match.

const ROWS = 120_000;
const MAX_PAGES = 5_000;
/** How many rows a call examines. */
const EXAMINED = 20_000;

/** Row i was written i seconds before this. */
const AT = "'2026-11-01T00:00:00Z'::timestamptz - i * interval '1 second'";
const BODY = "jsonb_build_object('body', repeat(md5(i::text), 30))";
const database = databaseWithTwoTenants(`
  insert into public.request_log (id, tenant_id, at, operation, method, path, status, duration_ms,
    credential, actor, request, response)
  select 'req_' || md5(i::text), 'acme', ${AT}, case when i = ${ROWS} then 'getMe'
    else 'listLines' end, 'GET', '/v1/lines', 200, 12, 'token', 'user:ada', ${BODY}, ${BODY}
  from generate_series(1, ${ROWS}) i;
  insert into public.webhooks (id, tenant_id, url, events, created_by)
  values ('whk_1', 'acme', 'https://receiver.example/', '{exception.created}', 'user:ada');
  insert into public.webhook_deliveries (id, tenant_id, webhook_id, event_id, type, status,
    created_at, delivered_at)
  select 'dlv_' || private.id_time(${AT}) || left(md5(i::text), 20), 'acme', 'whk_1', 'evt_' || i,
    case when i = ${ROWS} then 'run.done' else 'exception.created' end, 'delivered', ${AT}, ${AT}
  from generate_series(1, ${ROWS}) i`);

type Verb = "list_requests" | "list_deliveries" | "list_webhook_deliveries";

const LISTS: [name: string, verb: Verb, input: object][] = [
  ["requests of an operation", "list_requests", { operation: "getMe" }],
  ["failed requests", "list_requests", { status: "failed" }],
  ["refused requests", "list_requests", { status: "refused" }],
  ["requests of a user", "list_requests", { actor: "user:bob" }],
  ["all requests", "list_requests", {}],
  ["a request by its ID", "list_requests", { request_id: "req_1" }],
  ["requests about a resource", "list_requests", { resource: "exc_1" }],
  ["deliveries of a type", "list_deliveries", { type: "run.done" }],
  ["failed deliveries", "list_deliveries", { status: "failed" }],
  ["failed deliveries of a webhook", "list_webhook_deliveries", { id: "whk_1", status: "failed" }],
  ["deliveries that are retried", "list_deliveries", { status: "retrying" }],
  ["deliveries before all others", "list_deliveries", { until: "2026-10-01T00:00:00Z" }],
  ["deliveries of an event", "list_deliveries", { event_id: "evt_0" }],
  ["all deliveries", "list_deliveries", {}],
];

const requestOf = (verb: Verb) => ({
  operation: verb.replace(/_(.)/g, (_, letter) => letter.toUpperCase()),
});

function pagesRead(verb: Verb, input: object): Promise<number> {
  return database.pagesRead(`public.${verb}`, { limit: 50, ...input }, requestOf(verb));
}

/** The IDs of a list, page by page. */
async function pagesOf(verb: Verb, input: object): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string[] | null = null;
  do {
    const page: { items: { id: string }[]; next: string[] | null } = await database.asAdmin(
      `public.${verb}`,
      { limit: 50, ...input, after },
      requestOf(verb),
      "",
    );
    pages.push(page.items.map(({ id }) => id));
    after = page.next;
  } while (after);
  return pages;
}

test.each(LISTS)("listing %s reads few pages without statistics", async (_, verb, input) => {
  expect(await pagesRead(verb, input)).toBeLessThan(MAX_PAGES);
});

test.each([
  ["request", "list_requests", { operation: "getMe" }],
  ["delivery", "list_deliveries", { type: "run.done" }],
] as const)("the only matching %s is found after all others", async (_, verb, input) => {
  const pages = await pagesOf(verb, input);
  expect(pages.flat()).toHaveLength(1);
  expect(pages).toHaveLength(Math.floor(ROWS / EXAMINED) + 1);
});

test.each(["list_requests", "list_deliveries"] as const)(
  "%s returns each row of a time span once",
  async (verb) => {
    const span = { since: "2026-10-31T23:55:00Z", until: "2026-10-31T23:59:00Z" };
    const ids = (await pagesOf(verb, span)).flat();
    expect(ids).toHaveLength(240);
    expect(new Set(ids).size).toBe(240);
  },
);

// This test and later ones run with statistics.
test("listing reads as few pages once the tables are vacuumed", async () => {
  await database.run("vacuum analyze public.request_log, public.webhook_deliveries");
  for (const [name, verb, input] of LISTS)
    expect(await pagesRead(verb, input), name).toBeLessThan(MAX_PAGES);
});
