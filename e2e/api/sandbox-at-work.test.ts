import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { api, createTenant, sql, stack, uniqueName, userToken } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { Sandbox } from "#lib/tenants/contract.ts";
import { Tieout } from "../../sdk/typescript/src/index.ts";
import { RUN_TIMEOUT_MS } from "./matching/matching-fixture.ts";
import { receiver } from "./webhooks/shared-receiver.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/** Enough that an import or a run takes a second. A sandbox may have 50,000. */
const LINES = 15_000;

let live: string;
let bearer: string;
let sandbox: string;
let tieout: Tieout;
beforeAll(async () => {
  live = await createTenant();
  bearer = await userToken(live, ["tenant_admin"]);
  sandbox = `${live}.sandbox`;
  tieout = new Tieout({ token: async () => bearer, tenant: sandbox, baseUrl: stack.url });
  await new Tieout({
    token: async () => bearer,
    tenant: live,
    baseUrl: stack.url,
  }).sandbox.create();
});

async function registerIn(tenant: string): Promise<string> {
  const path = `/${uniqueName("hook")}`;
  await receiver.behave(path, { secrets: [SECRET] });
  const client = new Tieout({ token: async () => bearer, tenant, baseUrl: stack.url });
  const url = receiver.url(path);
  await client.webhooks.create({ url, events: ["exception.created"], secret: SECRET });
  return path;
}

test("a sandbox's webhook gets its events, signed, and the live tenant's gets none", async () => {
  const [inLive, inSandbox] = [await registerIn(live), await registerIn(sandbox)];
  const at = (path: string) => receiver.received.filter((received) => received.path === path);
  const { id } = (await tieout.exceptions.create({ title: "Payout", severity: "low" })) ?? {};
  const [got] = await until("the sandbox's event is delivered", () => {
    const found = at(inSandbox);
    return found.length > 0 && found;
  });
  expect(got?.verified).toEqual([SECRET]);
  expect(JSON.parse(got?.body ?? "")).toMatchObject({
    type: "exception.created",
    data: { exception: { id } },
  });
  await new Tieout({
    token: async () => bearer,
    tenant: live,
    baseUrl: stack.url,
  }).exceptions.create({
    title: "Live",
    severity: "low",
  });
  await until("the live tenant's event is delivered", () => at(inLive).length > 0);
  expect([at(inLive).length, at(inSandbox).length]).toEqual([1, 1]);
  expect(at(inLive)[0]?.body).toContain("Live");

  // A reset deletes deliveries, but not webhooks.
  await tieout.sandbox.reset({});
  expect(await rowsLeft()).toEqual(["public.sla_policies"]);
  await tieout.exceptions.create({ title: "Again", severity: "low" });
  await until("an event after the reset is delivered", () => at(inSandbox).length === 2);
});

test("a reset while deliveries wait or are under way ends them, and the next event is sent", async () => {
  const [failing, hanging] = [await registerIn(sandbox), await registerIn(sandbox)];
  await receiver.behave(failing, { status: 500, secrets: [SECRET] });
  await receiver.behave(hanging, { trick: "hang", secrets: [SECRET] });
  await tieout.exceptions.create({ title: "Before the reset", severity: "low" });
  await Promise.all([failing, hanging].map((path) => receiver.gets(path, 1)));
  const reset = await until("the sandbox is reset", async () => {
    const answer = await api("POST", "/v1/sandbox/reset", { bearer, tenant: sandbox, body: {} });
    return answer.status === 200 && answer;
  });
  expect(reset.json).toMatchObject({ tenant_id: sandbox });
  expect(await rowsLeft()).toEqual(["public.sla_policies"]);
  for (const path of [failing, hanging]) await receiver.behave(path, { secrets: [SECRET] });
  await tieout.exceptions.create({ title: "After the reset", severity: "low" });
  // Longer than the pause before the retry of a delivery, which the reset has deleted.
  await sleep(8_000);
  for (const path of [failing, hanging]) {
    const got = receiver.at(path);
    expect(got.map(({ body }) => /(?:Before|After) the reset/.exec(body)?.[0])).toEqual([
      "Before the reset",
      "After the reset",
    ]);
    expect(got[1]?.verified).toEqual([SECRET]);
  }
});

/** The tables that a reset should empty and that still contain rows of the sandbox. */
async function rowsLeft(): Promise<string[]> {
  const [{ names } = { names: [] }] = await sql<{ names: string[] }>(
    "select private.tables_emptied_by_reset() as names",
  );
  const left = await Promise.all(
    names.map(async (name) => {
      const rows = await sql(`select from ${name} where tenant_id = $1 limit 1`, [sandbox]);
      return rows.length > 0 ? [name] : [];
    }),
  );
  return left.flat();
}

async function sourceOf(name: string): Promise<string> {
  return (await tieout.sources.create({ name, kind: "ledger", currency: "EUR" })).id;
}

async function startImport(): Promise<void> {
  const source = await sourceOf("Bank");
  const rows = Array.from({ length: LINES }, (_, n) => `2026-10-${10 + (n % 9)},${n}.50,R${n}\n`);
  await tieout.sources.createImport(source, `value_date,amount,reference\n${rows.join("")}`);
}

async function startRun(): Promise<void> {
  const [left_source_id, right_source_id] = [await sourceOf("Bank"), await sourceOf("Ledger")];
  await sql(
    `insert into public.lines
       (tenant_id, id, source_no, amount_minor, currency, value_date, reference)
     select s.tenant_id, gen_random_uuid(), s.source_no, i, 'EUR', date '2026-10-01' + i % 7,
       'R' || i
     from public.sources s, generate_series(1, $2::integer) i where s.tenant_id = $1`,
    [sandbox, LINES],
  );
  const { id } = await tieout.reconciliations.create({
    name: "October",
    period_start: "2026-10-01",
    period_end: "2026-10-31",
    left_source_id,
    right_source_id,
    auto_run: false,
  });
  await until("the period is prepared", async () => {
    const { preparing } = await tieout.reconciliations.get(id);
    return !preparing;
  });
  await tieout.reconciliations.createRun(id);
}

const isIn = (table: string, status: string) =>
  until(`${table} has one that is ${status}`, async () => {
    const found = await sql(
      `select from public.${table} where tenant_id = $1 and status in ($2, 'done')`,
      [sandbox, status],
    );
    return found.length > 0;
  });

test.each([
  ["an import that was just accepted", startImport, undefined],
  ["an import that is being read", startImport, () => isIn("imports", "reading")],
  ["a run that was just accepted", startRun, undefined],
  ["a run at work", startRun, () => isIn("runs", "running")],
])(
  "a reset during %s is refused or leaves nothing of it",
  async (_name, start, isAtWork) => {
    await start();
    await isAtWork?.();
    await until("the sandbox is reset", async () => {
      const answer = await api("POST", "/v1/sandbox/reset", { bearer, tenant: sandbox, body: {} });
      if (answer.status !== 200)
        expect(answer.json).toMatchObject({ code: "conflict", retryable: true });
      return answer.status === 200;
    });
    // Jobs for deleted records end without a trace and without a failure.
    const jobs = () =>
      sql<{ last_error: string | null }>(
        "select last_error from graphile_worker._private_jobs where payload::text like $1",
        [`%"${sandbox}"%`],
      );
    const failures: unknown[] = [];
    await until("no job of the sandbox is left", async () => {
      const left = await jobs();
      failures.push(...left.flatMap(({ last_error }) => last_error ?? []));
      return left.length === 0 || failures.length > 0;
    });
    expect(failures).toEqual([]);
    expect(await rowsLeft()).toEqual(["public.sla_policies"]);

    const { reconciliation_id } = (await tieout.sandbox.reset({ sample: true })) as Sandbox;
    const run = await tieout.runs.createAndWait(String(reconciliation_id));
    expect(run.status).toBe("done");
    await until("the sandbox is at rest", async () => (await jobs()).length === 0);
    await tieout.sandbox.reset({});
  },
  RUN_TIMEOUT_MS,
);
