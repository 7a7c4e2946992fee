import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sql, userToken } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { ConnectionTest } from "#lib/connections/contract.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import { startBucket, startFileServer } from "./bank-servers.ts";
import { ConnectedTenant, csv, MAPPING } from "./connected-tenant.ts";

const TOKEN = "tok_4f9c2ae17b6d40c8";

let tenant: ConnectedTenant;
let bucket: Awaited<ReturnType<typeof startBucket>>;
let server: Awaited<ReturnType<typeof startFileServer>>;
beforeAll(async () => {
  tenant = await ConnectedTenant.create();
  bucket = await startBucket();
  server = await startFileServer(TOKEN);
});
afterAll(() => Promise.all([bucket.close(), server.close()]));

describe("files of a bucket", () => {
  test("are imported once each, whatever their names, and moved afterwards", async () => {
    const day = csv("2026-11-05,12.50,A", "2026-11-05,-3.00,B");
    await bucket.put("day-1.csv", day);
    await bucket.put("day-1 copy.csv", day);
    await bucket.put("day-2.csv.part", csv("2026-11-06,1.00,C"));
    await bucket.put("notes.txt", "nothing");
    const connection = await tenant.connect({
      ...bucket.settings,
      file_glob: "day-*",
      afterwards: "move",
      move_to: "done",
    });
    const { id } = connection;
    const [files] = await tenant.fetched(id);
    expect(files.map(({ outcome }) => outcome).sort()).toEqual(["duplicate", "imported"]);
    expect(await tenant.lineCount(connection)).toBe(2);
    await until("both are moved", async () =>
      (await tenant.files(id)).every(({ taken_at }) => taken_at !== null),
    );
    expect((await bucket.names()).sort()).toEqual([
      "day-2.csv.part",
      "done/day-1 copy.csv",
      "done/day-1.csv",
      "notes.txt",
    ]);
    expect((await tenant.fetched(id))[0]).toHaveLength(2);
  });
});

describe("a file at an address", () => {
  test("waits for a mapping, stops when its layout changes, and is read once a version", async () => {
    const connection = await tenant.connect(server.settings, null);
    const { id, source_id } = connection;
    server.put(csv("2026-11-05,12.50,A"), "2026-11-05T06:00:00Z");
    const [[unknown], failing] = await tenant.fetched(id);
    expect(unknown).toMatchObject({ outcome: "failed", import_id: null });
    expect(failing).toMatchObject({ last_outcome: "failed" });
    expect(failing.last_error).toMatch(/^today\.csv: The columns of this file aren't known yet/);

    await tenant.ok("PATCH", `sources/${source_id}`, { mapping: MAPPING });
    const [known, working] = await tenant.fetched(id);
    expect(known).toMatchObject([{ outcome: "imported", line_count: 1 }]);
    expect(working).toMatchObject({ last_error: null, failing_since: null });

    const reads = server.reads();
    await tenant.fetched(id);
    expect(server.reads()).toBe(reads);

    server.put("Day,Betrag,Text\n2026-11-06,1.00,B\n", "2026-11-06T06:00:00Z");
    const [changed] = await tenant.fetched(id);
    expect(changed[1]).toMatchObject({ outcome: "failed" });
    expect(changed[1]?.error).toMatch(/layout of the file has changed: it has no column Amount/);
    expect(await tenant.lineCount(connection)).toBe(1);
    const events = await sql<{ n: number }>(
      `select count(*)::integer as n from events
       where tenant_id = $1 and type = 'connection.failing' and data #>> '{connection,id}' = $2`,
      [tenant.id, id],
    );
    expect(events).toEqual([{ n: 2 }]);
  });

  test("is tested without fetching it, and its credential is never shown", async () => {
    const { id } = await tenant.connect(server.settings);
    expect(JSON.stringify(await tenant.get(id))).not.toMatch(/credential|tok_/);
    expect(await tenant.ok<ConnectionTest>("POST", `connections/${id}/test`)).toEqual({
      error: null,
      host_key: null,
      names: ["today.csv"],
      total_count: 1,
    });
    await tenant.ok("PATCH", `connections/${id}`, { credential: "another" });
    const refused = await tenant.ok<ConnectionTest>("POST", `connections/${id}/test`);
    expect(refused.error).toBe("The server refused the credential (HTTP 401).");
    const moved = { address: `${server.origin}/moved.csv`, credential: TOKEN };
    await tenant.ok("PATCH", `connections/${id}`, moved);
    const redirected = await tenant.ok<ConnectionTest>("POST", `connections/${id}/test`);
    expect(redirected.error).toMatch(/redirects to another address/);
  });

  test.each(["https://10.0.0.1/a.csv", "sftp://intranet/out", "sftp://0x0a000001/out"])(
    "at %s, which isn't public, is refused",
    async (address) => {
      const { id: source_id } = await tenant.source();
      const kind = address.slice(0, address.indexOf(":"));
      const { status, text } = await tenant.call("POST", "connections", {
        source_id,
        kind,
        address,
        auth: kind === "sftp" ? "password" : "none",
        ...(kind === "sftp" && { user_name: "acme", credential: "x" }),
      });
      expect([status, text]).toEqual([400, expect.stringMatching(/isn't a public/)]);
    },
  );

  test("moves to another address only with its credential", async () => {
    const { id } = await tenant.connect(server.settings);
    const lead = await userToken(tenant.id, ["tenant_lead"]);
    const patch = { address: "https://files.other.example/today.csv" };
    expect((await tenant.call("PATCH", `connections/${id}`, patch)).text).toMatch(
      /Send the credential/,
    );
    expect((await tenant.call("PATCH", `connections/${id}`, patch, lead)).status).toBe(403);
  });
});

describe("a file that is missing", () => {
  test("opens one exception a day, which its arrival resolves", async () => {
    server.put(csv("2026-11-05,99.00,Late"), "2026-11-09T06:00:00Z");
    const { id } = await tenant.connect({
      ...server.settings,
      schedule: { calendar_id: null, at: "00:00", retry_until: "00:01" },
      assigned_to: "user:ada",
    });
    const late = () =>
      sql(
        `update connections set next_look_at = null, expected_at =
           (now() at time zone 'Europe/Berlin')::date::timestamp at time zone 'Europe/Berlin'
         where id = $1`,
        [id],
      );
    for (let times = 0; times < 2; times++) {
      await late();
      await sql("select private.open_missing_files()");
    }
    const missing = () =>
      tenant
        .ok<{ items: Exception[] }>("GET", "exceptions?reason_code=file_missing")
        .then(({ items }) => items);
    const [opened, ...others] = await missing();
    expect(others).toEqual([]);
    expect(opened).toMatchObject({
      status: "open",
      severity: "high",
      assigned_to: "user:ada",
      details: { connection_id: id },
    });
    expect(opened?.title).toMatch(/^No file for Bank by 00:01, \d/);
    expect(Date.parse(opened?.due_at ?? "")).toBeGreaterThan(Date.now());
    await tenant.fetched(id);
    expect(await missing()).toMatchObject([
      { status: "resolved", resolution: "The file today.csv arrived and was imported." },
    ]);
    await late();
    await sql("select private.open_missing_files()");
    expect(await missing()).toHaveLength(1);
  });
});
