import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTenant, stack, userToken } from "#e2e/fixtures.ts";
import { Tieout } from "../../../sdk/typescript/src/index.ts";

const SCRIPT = join(import.meta.dirname, "../../../docs/examples/sync-exceptions.mjs");
const WRITERS = 4;
const ROUNDS = 12;

/** Fields that depend on the time of reading. So does the deadline of a paused exception. */
const CLOCK_FIELDS = ["minutes_to_breach", "business_minutes_remaining", "breach_risk"];

/** A machine whose clock is an hour fast. */
const FAST_CLOCK = `const Real = Date;
globalThis.Date = class extends Real {
  constructor(...of) { super(...(of.length > 0 ? of : [Real.now() + 3_600_000])); }
  static now() { return Real.now() + 3_600_000; }
};`;

type Row = Record<string, unknown> & { id: string };

function withoutClock(row: Row): Row {
  const omitted = row.paused_at === null ? CLOCK_FIELDS : [...CLOCK_FIELDS, "due_at"];
  return Object.fromEntries(Object.entries(row).filter(([name]) => !omitted.includes(name))) as Row;
}

async function runScript(tenant: string, token: string, file: string, ...flags: string[]) {
  const { PATH, NODE_ENV } = process.env;
  const names = { TIEOUT_URL: stack.url, TIEOUT_TENANT: tenant, TIEOUT_TOKEN: token };
  const child = spawn(process.execPath, [...flags, SCRIPT, file, "once"], {
    env: { PATH, NODE_ENV, ...names },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
}

test("a copy whose machine has a fast clock skips no change", async () => {
  const tenant = await createTenant();
  const token = await userToken(tenant, ["tenant_lead"], "lea");
  const folder = await mkdtemp(join(tmpdir(), "tieout-sync-"));
  const file = join(folder, "copy.json");
  try {
    await runScript(tenant, token, file, "--import", `data:text/javascript,${FAST_CLOCK}`);
    const { caughtUp } = JSON.parse(await readFile(file, "utf8")) as { caughtUp: string };
    // Changes since then are read by the next run.
    expect(Date.parse(caughtUp)).toBeLessThan(Date.now() + 60_000);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a copy synchronized during writes equals an export", async () => {
  const tenant = await createTenant();
  const token = await userToken(tenant, ["tenant_lead"], "lea");
  const tieout = new Tieout({ key: token, tenant, baseUrl: stack.url });
  const folder = await mkdtemp(join(tmpdir(), "tieout-sync-"));
  const file = join(folder, "copy.json");
  const sync = () => runScript(tenant, token, file);

  const write = async (writer: number) => {
    const ids: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const created = await tieout.exceptions.create({
        title: `${writer}-${round}`,
        severity: "low",
      });
      ids.push(created?.id ?? "");
      const id = ids[(round * 7) % ids.length] ?? "";
      if (round % 3 === 0) await tieout.exceptions.update(id, { severity: "critical" });
      if (round % 3 === 1)
        await tieout.exceptions.updateMany({ ids, patch: { reason_code: `r${round}` } });
      if (round % 4 === 2) await tieout.exceptions.pause(created?.id ?? "", { reason: "Waiting" });
      if (round % 4 === 3)
        await tieout.exceptions.update(created?.id ?? "", {
          status: "resolved",
          resolution: "Found",
        });
    }
  };

  try {
    let isWriting = true;
    const writing = Promise.all(
      Array.from({ length: WRITERS }, (_, writer) => write(writer)),
    ).finally(() => {
      isWriting = false;
    });
    let runs = 0;
    for (; isWriting; runs += 1) await sync();
    await writing;
    await sync();
    expect(runs).toBeGreaterThan(1);
    const { rows } = JSON.parse(await readFile(file, "utf8")) as { rows: Record<string, Row> };
    const exported: Record<string, Row> = {};
    for await (const row of tieout.exceptions.export())
      exported[(row as Row).id] = withoutClock(row as Row);
    const copied = Object.entries(rows).map(([id, row]) => [id, withoutClock(row)]);
    expect(Object.keys(exported)).toHaveLength(WRITERS * ROUNDS);
    expect(Object.fromEntries(copied)).toEqual(exported);
  } finally {
    await rm(folder, { recursive: true });
  }
});
