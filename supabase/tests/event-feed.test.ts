import { Client } from "pg";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { schemaDatabases } from "../../bin/dev/generate/schema-databases.ts";
import { markRestored } from "../local/mark-restored.ts";

const ADMIN = { principal_type: "user", principal_id: "ada", roles: ["tenant_admin"] };

type Event = { id: string; type: string; subject: string | null; data: { id: string } };
type Page = { items: Event[]; position: string; has_more: boolean };

const fresh = schemaDatabases();
let url: string;
let client: Client;

beforeAll(async () => {
  ({ client, url } = await fresh());
  await client.query("select private.create_tenant('globex', 'Globex')");
}, 60_000);

let tenant: string;
let tenants = 0;
beforeEach(async () => {
  tenants += 1;
  tenant = `acme-${tenants}`;
  await client.query("select private.create_tenant($1, $1)", [tenant]);
});

/** Reads a page as a request does: with the caller's rights, in one transaction. */
async function read(input: object): Promise<Page> {
  const claims = JSON.stringify({ ...ADMIN, tenant_id: tenant });
  await client.query("begin");
  try {
    await client.query(
      `select set_config('role', 'authenticated', true),
         set_config('request.jwt.claims', $1, true)`,
      [claims],
    );
    const { rows } = await client.query<{ page: Page }>(
      "select public.list_events($1, $2) as page",
      [
        { limit: 50, ...input },
        { operation: "listEvents", request_id: "req_1" },
      ],
    );
    return rows[0]?.page as Page;
  } finally {
    await client.query("rollback");
  }
}

async function emit(by: Client, id: string, ofTenant = tenant): Promise<void> {
  await by.query(
    "select private.emit($1, 'webhook.disabled', jsonb_build_object('id', $2::text))",
    [ofTenant, id],
  );
}

const idsOf = ({ items }: Page) => items.map(({ data }) => data.id);

async function withConnections(count: number, work: (all: Client[]) => Promise<void>) {
  const all = Array.from({ length: count }, () => new Client({ connectionString: url }));
  try {
    await Promise.all(all.map((item) => item.connect()));
    await work(all);
  } finally {
    await Promise.all(all.map((item) => item.end()));
  }
}

test("an event that commits late never falls before a position that was already returned", async () => {
  await withConnections(2, async ([late, early]) => {
    if (!late || !early) return;
    await late.query("begin");
    await emit(late, "late");
    await emit(early, "early");
    const before = await read({});
    expect(idsOf(before)).toEqual([]);
    await late.query("commit");
    expect(idsOf(await read({ after: before.position }))).toEqual(["late", "early"]);
  });
});

test("an open transaction without events, or of another tenant, delays no reader", async () => {
  await withConnections(2, async ([idle, foreign]) => {
    if (!idle || !foreign) return;
    await idle.query("begin");
    await idle.query("select pg_current_xact_id()");
    await foreign.query("begin");
    await emit(foreign, "theirs", "globex");
    await emit(client, "ours");
    const page = await read({});
    expect(idsOf(page)).toEqual(["ours"]);
    await emit(idle, "later");
    await idle.query("commit");
    expect(idsOf(await read({ after: page.position }))).toEqual(["later"]);
    await foreign.query("rollback");
  });
});

test("each committed event is read exactly once under any concurrency", async () => {
  const writers = 6;
  const committed = new Set<string>();
  const received: string[] = [];
  let done = false;
  await withConnections(writers, async (connections) => {
    const write = async (by: Client, writer: number) => {
      for (let turn = 0; turn < 40; turn += 1) {
        const ids: string[] = [];
        await by.query("begin");
        for (let place = 0; place < 1 + (turn % 3); place += 1) {
          const id = `${writer}-${turn}-${place}`;
          const isUndone = (turn + place) % 4 === 3;
          await by.query("savepoint one");
          await emit(by, id);
          if (isUndone) await by.query("rollback to one");
          else ids.push(id);
          if (place === writer % 2) await by.query("select pg_sleep(random() * 0.01)");
        }
        const isKept = (turn + writer) % 5 !== 0;
        await by.query(isKept ? "commit" : "rollback");
        if (isKept) for (const id of ids) committed.add(id);
      }
    };
    const reading = (async () => {
      let after: string | undefined;
      for (let isLast = false; !isLast; ) {
        isLast = done;
        const page = await read({ limit: 7, after });
        received.push(...idsOf(page));
        after = page.position;
        if (page.has_more) isLast = false;
      }
    })();
    await Promise.all(connections.map(write));
    done = true;
    await reading;
  });
  expect(received.length).toBe(new Set(received).size);
  expect(new Set(received)).toEqual(committed);
});

test("a page examines a limited number of events, so one without a match can have more after it", async () => {
  await client.query(
    `insert into public.events (tenant_id, type, data)
     select $1, 'webhook.disabled', '{"id": "whk_many"}' from generate_series(1, 1500)`,
    [tenant],
  );
  await client.query(`select private.emit($1, 'webhook.failing', '{"id": "whk_one"}')`, [tenant]);
  const first = await read({ types: ["webhook.failing"] });
  expect([first.items.length, first.has_more]).toEqual([0, true]);
  const second = await read({ types: ["webhook.failing"], after: first.position });
  expect([idsOf(second), second.has_more]).toEqual([["whk_one"], false]);
  expect(idsOf(await read({ subject: "whk_one" }))).toEqual(["whk_one"]);
});

test("reading can start at a given time, but not before the last 30 days", async () => {
  const idAt = (days: number) =>
    `evt_${(Date.now() - days * 86_400_000).toString(16).padStart(12, "0")}${"0".repeat(20)}`;
  await client.query("select private.roll_partitions()");
  for (const [days, name] of [
    [31, "gone"],
    [5, "old"],
    [0, "new"],
  ] as const)
    await client.query(
      `insert into public.events (id, tenant_id, type, at, data)
       values ($1, $4, 'webhook.disabled', now() - make_interval(days => $2),
         jsonb_build_object('id', $3::text))`,
      [idAt(days), days, name, tenant],
    );
  const since = new Date(Date.now() - 86_400_000).toISOString();
  expect(idsOf(await read({}))).toEqual(["old", "new"]);
  expect(idsOf(await read({ since }))).toEqual(["new"]);
  await expect(read({ seen_at: new Date(Date.now() - 31 * 86_400_000) })).rejects.toMatchObject({
    message: "invalid_request",
  });
});

test("after a restore, a cursor from after the backup misses no event", async () => {
  await emit(client, "kept");
  const { position } = await read({});
  // The events that the backup lacks had these positions.
  const after = String(BigInt(position) + 100n);
  await markRestored(client);
  await emit(client, "new");
  expect(idsOf(await read({ after }))).toEqual(["new"]);
  expect(idsOf(await read({ after: position }))).toEqual(["new"]);
  expect(idsOf(await read({}))).toEqual(["kept", "new"]);
});
