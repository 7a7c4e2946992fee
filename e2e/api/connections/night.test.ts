import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sql, stack } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { Connection } from "#lib/connections/contract.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import { startBucket, startFileServer } from "./bank-servers.ts";
import { ConnectedTenant, csv } from "./connected-tenant.ts";
import { startSshServer, whyNoPasswords, whyNoSshd } from "./ssh-server.ts";

const TOKEN = "tok_a0c51d9e8b734f62";
const SLOW = 480_000;
/** The worker's keys that a fetch needs. */
const KEYS = {
  ENCRYPTION_KEYS: stack.encryptionKeys,
  AUDIT_PUBLIC_KEYS: Buffer.alloc(32).toString("base64"),
};

let tenant: ConnectedTenant;
let bucket: Awaited<ReturnType<typeof startBucket>>;
let address: Awaited<ReturnType<typeof startFileServer>>;
beforeAll(async () => {
  tenant = await ConnectedTenant.create();
  bucket = await startBucket();
  address = await startFileServer(TOKEN);
});
afterAll(() => Promise.all([bucket.close(), address.close()]));

const started: ChildProcess[] = [];
afterAll(() => {
  for (const process of started) process.kill("SIGKILL");
});

/** A process that fetches once, as a worker does. */
function startFetch({ id }: Connection): ChildProcess {
  const fetching = spawn(
    process.execPath,
    [join(import.meta.dirname, "one-fetch.ts"), stack.databaseUrl, tenant.id, id],
    { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, ...KEYS } },
  );
  started.push(fetching);
  return fetching;
}

async function kill(fetching: ChildProcess): Promise<void> {
  const ended = once(fetching, "exit");
  fetching.kill("SIGKILL");
  if (fetching.exitCode === null && fetching.signalCode === null) await ended;
}

const importsOf = ({ source_id }: Connection) =>
  tenant.ok<{ items: { status: string }[] }>("GET", `imports?source_id=${source_id}`);

test(
  "a file whose worker is killed twice is imported once, and the attempts leave nothing behind",
  async () => {
    const connection = await tenant.connect(address.settings);
    const rows = Array.from({ length: 200_000 }, (_, n) => `2026-11-05,${n + 1}.00,Line ${n}`);
    address.put(csv(rows.join("\n")), "2026-11-05T06:00:00Z");

    // In the middle of the file.
    const half = address.holdNext();
    const first = startFetch(connection);
    await half;
    await until("a part is stored", async () => {
      const parts = await sql(
        `select from private.import_chunks c join connection_files f on f.import_id = c.import_id
         where f.connection_id = $1`,
        [connection.id],
      );
      return parts.length > 0;
    });
    await kill(first);
    expect((await importsOf(connection)).items).toEqual([]);

    // As soon as its import is queued, before the fetch ends.
    const second = startFetch(connection);
    await until("its import is queued", async () => {
      const [file] = await tenant.files(connection.id);
      return file?.outcome === "importing" || file?.outcome === "imported";
    });
    await kill(second);

    const [code] = await once(startFetch(connection), "exit");
    expect(code).toBe(0);
    expect(await tenant.settled(connection.id)).toMatchObject([
      { outcome: "imported", line_count: rows.length },
    ]);
    expect((await importsOf(connection)).items).toHaveLength(1);
    expect(await tenant.lineCount(connection)).toBe(rows.length);
    const left = await sql("select from imports where tenant_id = $1 and status = 'receiving'", [
      tenant.id,
    ]);
    expect(left).toEqual([]);
  },
  SLOW,
);

test.skipIf(whyNoSshd() !== null)(
  "a night with three connections handles late, changed, repeated and growing files, and another host key",
  async () => {
    const ssh = await startSshServer();
    try {
      const schedule = { calendar_id: null, at: "06:30", retry_until: "10:00" };
      const bank = await tenant.connect({
        ...ssh.settings,
        schedule,
        file_glob: "*.csv",
        stable_seconds: 1,
        afterwards: "move",
        move_to: "done",
      });
      const processor = await tenant.connect({ ...bucket.settings, schedule });
      const ledger = await tenant.connect({ ...address.settings, schedule });

      // The bank writes while we fetch; the processor sends one day twice, and the ledger is late.
      await ssh.put("day-1.csv", csv("2026-11-05,12.50,A"));
      await bucket.put("payouts.csv", csv("2026-11-05,7.00,P"));
      await bucket.put("payouts (1).csv", csv("2026-11-05,7.00,P"));
      address.put("", "2026-11-05T06:00:00Z");
      const fetching = startFetch(bank);
      await until("it has listed the folder", async () => (await tenant.get(bank.id)).host_key);
      await ssh.put("day-1.csv", csv("2026-11-05,12.50,A", "2026-11-05,1.00,B"));
      await once(fetching, "exit");
      expect((await tenant.fetched(bank.id))[0]).toMatchObject([
        { path: "day-1.csv", outcome: "imported", line_count: 2 },
      ]);
      expect((await tenant.get(bank.id)).host_key).toBe(ssh.fingerprint);
      await until("it is moved", async () => (await ssh.names()).includes("done/day-1.csv"));
      const [payouts] = await tenant.fetched(processor.id);
      expect(payouts.map(({ outcome }) => outcome).sort()).toEqual(["duplicate", "imported"]);

      // The time by which the files are expected has passed.
      await sql(
        `update connections set expected_at = now() - interval '1 second', next_look_at = null
         where id = any ($1)`,
        [[bank.id, processor.id, ledger.id]],
      );
      await sql("select private.open_missing_files()");
      const missing = async () =>
        (await tenant.ok<{ items: Exception[] }>("GET", "exceptions?reason_code=file_missing"))
          .items;
      expect(await missing()).toMatchObject([{ details: { connection_id: ledger.id } }]);
      address.put(csv("2026-11-05,99.00,L"), "2026-11-05T11:00:00Z");
      await tenant.fetched(ledger.id);
      expect(await missing()).toMatchObject([{ status: "resolved" }]);

      // The next night, the bank has another layout, then another key.
      await ssh.put("day-2.csv", "Datum;Betrag\n06.11.2026;1,00\n");
      const [nextNight, stopped] = await tenant.fetched(bank.id);
      expect(nextNight.at(-1)).toMatchObject({ path: "day-2.csv", outcome: "failed" });
      expect(stopped.last_error).toMatch(/Import one file by hand/);
      expect(await ssh.names()).toContain("day-2.csv");
      const shown = await ssh.restartWithNewKey();
      await tenant.fetched(bank.id);
      expect(await tenant.get(bank.id)).toMatchObject({ status: "stopped" });
      expect((await tenant.call("POST", `connections/${bank.id}/fetch`)).json).toMatchObject({
        reason: "host_key_changed",
      });
      const tested = await tenant.ok("POST", `connections/${bank.id}/test`);
      expect(tested).toMatchObject({ host_key: shown, names: [] });
      await tenant.ok("PATCH", `connections/${bank.id}`, { host_key: shown });
      await ssh.put("day-2.csv", csv("2026-11-06,3.00,C"));
      const [inTheEnd] = await tenant.fetched(bank.id);
      expect(inTheEnd.at(-1)).toMatchObject({ path: "day-2.csv", outcome: "imported" });
      expect(await tenant.lineCount(bank)).toBe(3);
    } finally {
      await ssh.close();
    }
  },
  SLOW,
);

test.skipIf(whyNoPasswords() !== null)(
  "SFTP fetches files with a password, and a wrong one is reported on the connection",
  async () => {
    const ssh = await startSshServer("correct horse battery staple");
    try {
      const bank = await tenant.connect(ssh.settings);
      await ssh.put("day-1.csv", csv("2026-11-05,12.50,A"));
      expect(await tenant.ok("POST", `connections/${bank.id}/test`)).toMatchObject({
        error: null,
        names: ["day-1.csv"],
      });
      const [files] = await tenant.fetched(bank.id);
      expect(files).toMatchObject([{ path: "day-1.csv", outcome: "imported" }]);

      await tenant.ok("PATCH", `connections/${bank.id}`, { credential: "incorrect horse" });
      const [, refused] = await tenant.fetched(bank.id);
      expect(refused).toMatchObject({
        last_outcome: "failed",
        last_error: "The server refused the user name or the credential.",
      });
    } finally {
      await ssh.close();
    }
  },
  SLOW,
);
