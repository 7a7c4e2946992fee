import { describe, expect, test } from "vitest";
import { database } from "#e2e/fixtures.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { imported, undo } from "../lines/ledgers.ts";
import { line, World } from "./world.ts";

const SLOW = 300_000;
const FILE = `${JSON.stringify({ external_id: "a", amount: "1.00", value_date: "2026-10-05" })}\n`;

type How = "carried" | "excluded" | "matched";

const settled: Record<How, (world: World, id: string) => Promise<unknown>> = {
  carried: async () => {},
  excluded: (world: World, id: string) => world.ok("POST", `lines/${id}/exclude`, { body: { reason: "Not ours" } }),
  matched: async (world: World, id: string) => {
    const [other] = await world.add("right", [line("b", 100)]);
    await world.ok("POST", `reconciliations/${world.period}/matches`, { body: { line_ids: [id, other] } });
  },
};

/** October, with a line of an import that it settled in this way. */
async function october(how: How): Promise<{ world: World; file: string }> {
  const world = await World.create();
  const { id: file } = await imported(world, world.left, FILE);
  const { items } = await world.ok<{ items: { id: string }[] }>("GET", "lines", { query: { source_id: world.left, import_id: file } });
  await settled[how](world, items[0]?.id ?? "");
  return { world, file };
}

describe("undoing an import", { timeout: SLOW }, () => {
  test.each(["carried", "excluded", "matched"] as const)("is refused while a closed period has %s a line of it", async (how) => {
    const { world, file } = await october(how);
    await world.ok("POST", `reconciliations/${world.period}/close`);
    const read = () => world.call("GET", `reconciliations/${world.period}/statement/export`, { query: { format: "csv" } });
    const before = (await read()).text;
    expectProblem(await undo(world, file), "conflict");
    expect((await read()).text).toBe(before);
    await world.ok("POST", `reconciliations/${world.period}/reopen`, { body: { reason: "The wrong file" } });
    expect((await undo(world, file)).json).toMatchObject({ status: "undone" });
    expect((await world.proof()).holds).toBe(true);
  });

  test.each(["excluded", "matched"] as const)("is refused once an archived period has %s a line of it", async (how) => {
    const { world, file } = await october(how);
    await world.ok("PATCH", `reconciliations/${world.period}`, { body: { status: "archived" } });
    const before = [await world.proof(), await world.matches()];
    expectProblem(await undo(world, file), "conflict");
    expect([await world.proof(), await world.matches()]).toEqual(before);
  });
});

test("a closed period keeps its name, archived or not", async () => {
  const world = await World.create();
  const { name } = await world.ok<{ name: string }>("POST", `reconciliations/${world.period}/close`);
  const rename = () => world.call("PATCH", `reconciliations/${world.period}`, { body: { name: "Another" } });
  expectProblem(await rename(), "conflict");
  await world.ok("PATCH", `reconciliations/${world.period}`, { body: { status: "archived" } });
  expectProblem(await rename(), "conflict");
  expect(await world.reconciliation()).toMatchObject({ name });
});

test("no period opens before a closed one, nor moves there: what was carried is settled later", async () => {
  const world = await World.create();
  await world.add("left", [line("a", 100, { value_date: "2026-09-12" })]);
  await world.ok("POST", `reconciliations/${world.period}/close`);
  const september = { period_start: "2026-09-01", period_end: "2026-09-30" };
  const sides = { left_source_id: world.left, right_source_id: world.right };
  expectProblem(await world.call("POST", "reconciliations", { body: { name: "September", ...sides, ...september } }), "conflict");
  const { id } = await world.bind({ period_start: "2026-11-01", period_end: "2026-11-30" });
  expectProblem(await world.call("PATCH", `reconciliations/${id}`, { body: september }), "conflict");
});

test("whatever writes the table is held to its sources' own pair, and to the quota", async () => {
  const world = await World.create();
  const other = await world.bind({ left_source_id: (await world.source("Bank")).id, right_source_id: (await world.source("Ledger")).id });
  const claims = { tenant_id: world.tenant, principal_type: "user", roles: ["tenant_admin"], actor: "user:eve" };
  const connection = await database.connect();
  const columns = "name, period_start, period_end, left_source, right_source";
  const values = "'November', date '2026-11-01', date '2026-11-30', 'left', 'right'";
  const become = () => connection.query("select set_config('request.jwt.claims', $1, true)", [JSON.stringify(claims)]);
  try {
    await connection.query("begin");
    await become();
    const anotherPair = connection.query(
      `insert into public.reconciliations (${columns}, pair_no, left_source_id, right_source_id)
       select ${values}, r.pair_no, $1, $2 from public.reconciliations r where r.tenant_id = $3 and r.id = $4`,
      [world.left, world.right, world.tenant, other.id],
    );
    await expect(anotherPair).rejects.toThrow("invalid_request");
    await connection.query("rollback");
    await connection.query("begin");
    await connection.query(
      "insert into private.quotas (kind, most) values ('reconciliations', 2) on conflict (kind) do update set most = 2",
    );
    await become();
    await expect(connection.query(`insert into public.reconciliations (${columns}) values (${values})`)).rejects.toThrow("conflict");
  } finally {
    await connection.query("rollback");
    connection.release();
  }
});
