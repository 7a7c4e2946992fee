/**
 * What the lists of records cost, on the running stack (DATA_DIR): pages, filters, the bin and the
 * search for a tenant with 1 k and with 1 M records, over HTTP.
 *
 *   node bench/records.ts
 *
 * Figures are medians of calls that take turns, so that a noisy machine affects all of them.
 */
import { api, createTenant, database, sql, stack, userToken } from "#e2e/fixtures.ts";

const SIZES = [1_000, 1_000_000];
const BATCH = 25_000;
const ROUNDS = 40;

type Owner = { tenant: string; middle: string };
type Case = { query: (owner: Owner) => Record<string, string>; as?: string };

const middle = ({ middle: id }: Owner) =>
  Buffer.from(JSON.stringify(["id", [id]])).toString("base64url");
const CASES: Record<string, Case> = {
  "first page": { query: () => ({}) },
  "page in the middle": { query: (owner) => ({ cursor: middle(owner) }) },
  operation: { query: () => ({ operation: "sync" }) },
  "updated a minute ago": {
    query: () => ({ updated_since: new Date(Date.now() - 60_000).toISOString() }),
  },
  "bin only": { query: () => ({ include_deleted: "only" }) },
  "bin as well": { query: () => ({ include_deleted: "true" }) },
  "publishable key": { query: () => ({}), as: stack.publishableKey },
  "q: nothing has it": { query: () => ({ q: "nowhere" }) },
  "q: ten have it": { query: () => ({ q: "zanzibar" }) },
  "q: one in eight": { query: () => ({ q: "stripe" }) },
  "q: one in a thousand": { query: () => ({ q: "number-77." }) },
  "q: one in a thousand, of two common words": { query: () => ({ q: "stripe team125" }) },
  "q: all have it": { query: () => ({ q: "acct" }) },
  "q: publishable key": { query: () => ({ q: "stripe" }), as: stack.publishableKey },
};

const owners = await Promise.all(SIZES.map(async (size) => ({ size, ...(await fill(size)) })));
await sql("vacuum analyze public.records");
const figures: Record<string, Record<string, number>> = {};
for (const [name, { query, as }] of Object.entries(CASES)) {
  const tokens = new Map<string, string>();
  for (const { tenant } of owners)
    tokens.set(tenant, as ?? (await userToken(tenant, ["tenant_admin"])));
  const times = new Map<number, number[]>(SIZES.map((size) => [size, []]));
  for (let round = -5; round < ROUNDS; round++) {
    for (const owner of owners) {
      const startedAt = performance.now();
      const { status, text } = await api("GET", "/v1/troubleshooting", {
        bearer: tokens.get(owner.tenant),
        tenant: owner.tenant,
        query: query(owner),
      });
      if (status !== 200) throw new Error(text);
      if (round >= 0) times.get(owner.size)?.push(performance.now() - startedAt);
    }
  }
  figures[name] = Object.fromEntries(
    [...times].map(([size, ms]) => [`median_ms at ${size}`, median(ms)]),
  );
}
console.table(figures);
await database.end();

async function fill(size: number): Promise<Owner> {
  const tenant = await createTenant();
  for (let from = 0; from < size; from += BATCH) {
    await sql(
      `insert into public.records (tenant_id, surface, data, created_at, updated_at, deleted_at)
       select $1, 'troubleshooting', jsonb_strip_nulls(jsonb_build_object(
         'title',
         (array['Stripe','Adyen','PayPal','Worldpay','Checkout','Klarna','Mollie','Braintree'])
           [1 + i % 8] || ' payout ' || i,
         'operation', (array['list','sync','export','import'])[1 + i % 4], 'published', i % 10 = 0,
           'idempotencyKey', md5(i::text),
         'symptom', 'The statement of team' || i % 125 || ' under acct_' || substr(md5(i::text), 1,
           10) || ' is number-' || i % 1000 || '. of its kind',
         'place', case when i % 100000 = 77 then 'Zanzibar' end)),
         now() - ($3 - i) * interval '1 second', now() - ($3 - i) * interval '1 second',
           case when i % 20 = 1 then now() - interval '1 day' end
       from generate_series($2::int + 1, least($2::int + ${BATCH}, $3::int)) i`,
      [tenant, from, size],
    );
  }
  const [half] = await sql<{ id: string }>(
    `select id from public.records where tenant_id = $1 and deleted_at is null
     order by id offset $2 limit 1`,
    [tenant, size * 0.45],
  );
  return { tenant, middle: half?.id ?? "" };
}

function median(values: number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return Math.round((sorted[Math.floor(sorted.length / 2)] ?? Number.NaN) * 10) / 10;
}
