import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  json,
  problem,
  type ScriptServer,
  scriptServer,
} from "../../typescript/test/script-server.ts";
import { EXIT } from "../src/failure.ts";
import { runTieout, startTieout } from "./run-cli.ts";

let api: ScriptServer;
let folder: string;
beforeAll(async () => {
  api = await scriptServer();
  folder = await mkdtemp(join(tmpdir(), "tieout-cli-"));
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true });
});

const tieout = (...args: string[]) => runTieout(api.url, args);
const me = json(200, {
  tenant_id: "acme",
  principal: { type: "api_key", id: "key_1", name: "Nightly", roles: [], scopes: ["read:lines"] },
});

test.each([
  ["a file to import", ["import", "missing.csv", "--source", "Bank"]],
  ["a body", ["api", "POST", "/v1/exceptions", "--data", "@missing.json"]],
])("%s that doesn't exist is wrong usage, and nothing is sent", async (_name, args) => {
  api.script();
  const { code, stderr } = await tieout(...args);
  expect(code).toBe(EXIT.usage);
  expect(stderr).toMatch(/^Error: Can't read missing\.\w+: there is no such file\.\n$/);
  expect(api.received).toHaveLength(0);
});

test("an idempotency key in the body is the one that is sent", async () => {
  for (const name of ["idempotency_key", "idempotencyKey"]) {
    api.script(json(201, {}));
    const { code } = await tieout("api", "POST", "/v1/x", "--data", `{ "${name}": "nightly-1" }`);
    expect(code).toBe(0);
    expect(api.received[0]?.headers["idempotency-key"]).toBe("nightly-1");
  }
});

test.each([
  ["a body with GET", ["api", "GET", "/v1/lines", "--data", "{}"], "GET takes no --data."],
  ["an unknown method", ["api", "FETCH", "/v1/lines"], "Allowed choices are GET, POST"],
  ["a filter without a name", ["export", "matches", "rcn_1", "--query", "x"], "name=value"],
  ["no address to forward to", ["listen", "--forward", "http://"], "--forward takes an address"],
  ["no address of the API", ["whoami", "--url", "tieout.example"], "--url takes an address"],
  ["an unknown profile", ["whoami", "--profile", "other"], 'There is no profile "other".'],
])("%s is wrong usage, and nothing is sent", async (name, args, message) => {
  api.script();
  const { code, stderr } = await runTieout(api.url, args, {
    env: name === "an unknown profile" ? { TIEOUT_TOKEN: "" } : {},
  });
  expect(stderr).toContain(message);
  expect(code).toBe(EXIT.usage);
  expect(api.received).toHaveLength(0);
});

test("with --json, wrong usage is JSON, too", async () => {
  const { code, stderr } = await tieout("whoami", "--unknown", "--json");
  expect(code).toBe(EXIT.usage);
  expect(JSON.parse(stderr)).toEqual({
    message: "unknown option '--unknown'",
    exit_code: EXIT.usage,
  });
});

test("a profile that can't be parsed is named", async () => {
  const path = join(folder, "broken.json");
  await writeFile(path, "{", { mode: 0o600 });
  const { code, stderr } = await runTieout(api.url, ["whoami"], { env: { TIEOUT_CONFIG: path } });
  expect(stderr).toBe(`Error: ${path} isn't JSON. Delete it, and run \`tieout login\` again.\n`);
  expect(code).toBe(EXIT.failed);
});

test("a credential on stdin is checked without a saved one", async () => {
  api.script(me);
  const { code, stdout } = await runTieout(api.url, ["keys", "check", "--stdin"], {
    input: "other.secret\n",
    env: { TIEOUT_TOKEN: "" },
  });
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("Nightly") });
  expect(api.received[0]?.headers.authorization).toBe("Bearer other.secret");
});

test("a rate-limited call says when to try again", async () => {
  api.script(problem(429, { code: "rate_limited" }, "3600"));
  const { code, stderr } = await tieout("whoami");
  expect(code).toBe(EXIT.unavailable);
  expect(stderr).toContain("  Try again in 3600 s.");
  api.script(problem(429, { code: "rate_limited" }, "3600"));
  const asJson = await tieout("whoami", "--json");
  expect(JSON.parse(asJson.stderr)).toMatchObject({ retry_after_s: 3600 });
});

test("a file is imported from stdin", async () => {
  const source = { id: "src_1", name: "Bank" };
  api.script(
    json(200, { items: [source], next_cursor: null }),
    json(200, { questions: [], mapping: null, warnings: [] }),
    json(202, { id: "imp_1", status: "queued" }),
  );
  const imported = await runTieout(api.url, ["import", "-", "--source", "Bank"], {
    input: "value_date,amount\n2026-10-02,1.00\n",
  });
  expect(imported).toMatchObject({ code: 0, stdout: "imp_1 is queued\n" });
  expect(api.received[2]).toMatchObject({
    url: "/v1/sources/src_1/imports?file_name=stdin",
    body: "value_date,amount\n2026-10-02,1.00\n",
  });
});

test.each([
  ["--wait", "Rejected", { id: "imp_1", status: "done", accepted_count: 1, refused_count: 2 }],
  ["--preview", "Rejected", undefined],
])("an import %s that rejects rows ends with its own exit code", async (option, shown, done) => {
  const source = { id: "src_1", name: "Bank" };
  const preview = { questions: [], mapping: null, warnings: [], refused_count: 2 };
  const steps = [
    json(200, { items: [source], next_cursor: null }),
    json(200, preview),
    ...(done ? [json(202, done)] : []),
  ];
  const args = ["import", "-", "--source", "Bank", option];
  const input = "value_date,amount\n2026-10-02,1.00\nx,y\n";
  api.script(...steps);
  const { code, stdout, stderr } = await runTieout(api.url, args, { input });
  expect({ code, stdout, stderr }).toEqual({
    code: EXIT.rowsRejected,
    stdout: expect.stringMatching(new RegExp(`${shown} +2`)),
    stderr: expect.stringMatching(/Error: (?:Rejected rows|Rows that would be rejected): 2\n$/),
  });
  api.script(...steps);
  const asJson = await runTieout(api.url, [...args, "--json"], { input });
  expect(asJson.code).toBe(EXIT.rowsRejected);
  expect(JSON.parse(asJson.stdout)).toEqual(done ?? preview);
  expect(JSON.parse(asJson.stderr)).toMatchObject({ exit_code: EXIT.rowsRejected });
});

test("a file that an operation returns is saved whole, and needs --output", async () => {
  const file = Buffer.from([0x25, 0x50, 0xff, 0x00, 0x0a]);
  const send = (response: ServerResponse) =>
    response.writeHead(200, { "content-type": "application/octet-stream" }).end(file);
  const output = join(folder, "evidence");
  api.script(send, send);
  const path = "/v1/evidence/evd_1/content";
  expect(await tieout("api", "GET", path, "--output", output)).toMatchObject({ code: 0 });
  expect(await readFile(output)).toEqual(file);
  const { code, stderr } = await tieout("api", "GET", path);
  expect({ code, stderr }).toEqual({
    code: EXIT.usage,
    stderr: "Error: The response is no JSON. If it is a file, save it with --output.\n",
  });
});

test("a file of another type is sent as its bytes", async () => {
  const path = join(folder, "invoice.pdf");
  await writeFile(path, "%PDF-1.7\n");
  api.script(json(201, { id: "evd_1" }));
  const args = ["api", "POST", "/v1/evidence?subject_id=lin_1&file_name=invoice.pdf"];
  const sent = await tieout(...args, "--data", `@${path}`, "--type", "application/pdf");
  expect(sent.code).toBe(0);
  expect(api.received[0]).toMatchObject({
    body: "%PDF-1.7\n",
    headers: { "content-type": "application/pdf" },
  });
});

test("Ctrl-C while waiting ends with 130 and says that the work goes on", async () => {
  let polled = () => {};
  const waits = new Promise<void>((resolve) => {
    polled = resolve;
  });
  api.script(json(202, { id: "run_1", status: "queued" }), () => polled());
  const { child, ended } = startTieout(api.url, ["run", "rcn_1", "--wait"]);
  await waits;
  child.kill("SIGINT");
  expect(await ended).toMatchObject({
    code: 130,
    stderr: expect.stringContaining("Only the waiting has ended: the run goes on."),
  });
});

test("an export that is interrupted leaves no file", async () => {
  let begun = () => {};
  const begins = new Promise<void>((resolve) => {
    begun = resolve;
  });
  api.script((response) => {
    response.writeHead(200, { "content-type": "text/csv" });
    response.write("id\r\n".repeat(100), () => setTimeout(begun, 300));
  });
  const output = join(folder, "exceptions.csv");
  const { child, ended } = startTieout(api.url, ["export", "exceptions", "--output", output]);
  await begins;
  child.kill("SIGTERM");
  expect((await ended).code).toBe(143);
  expect((await readdir(folder)).filter((name) => name.startsWith("exceptions"))).toEqual([]);
});

test("an export is read no faster than its reader takes it", async () => {
  const row = `${"x".repeat(1000)}\r\n`;
  let sent = 0;
  api.script(async (response) => {
    response.writeHead(200, { "content-type": "text/csv" });
    while (sent < 64_000_000) {
      sent += row.length * 100;
      if (!response.write(row.repeat(100)))
        await Promise.race([
          once(response, "drain"),
          new Promise((resolve) => setTimeout(resolve, 2_000)),
        ]);
      if (response.writableNeedDrain) break;
    }
  });
  const { child, ended } = startTieout(api.url, ["export", "exceptions"]);
  child.stdout?.removeAllListeners("data").pause();
  await expect.poll(() => sent, { timeout: 60_000 }).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(sent).toBeLessThan(64_000_000);
  child.kill("SIGKILL");
  child.stdout?.resume();
  await ended;
});

test("a command ends without an error if its reader closes the pipe", async () => {
  const items = Array.from({ length: 250 }, (_, id) => ({ id, text: "x".repeat(500) }));
  api.script(...Array.from({ length: 9 }, () => json(200, { items, next_cursor: "next" })));
  const { child, ended } = startTieout(api.url, ["api", "GET", "/v1/lines", "--paginate"]);
  child.stdout?.once("data", () => child.stdout?.destroy());
  expect(await ended).toMatchObject({ code: 0, stderr: "" });
});

test("--audit-reason is sent with a call", async () => {
  api.script(json(200, { items: [], next_cursor: null }));
  await tieout("api", "GET", "/v1/exceptions", "--audit-reason", "Support case 118");
  expect(api.received.map(({ headers }) => headers["x-audit-reason"])).toEqual([
    "Support case 118",
  ]);
});

test("a change with --if-match is made only to the version that was read", async () => {
  api.script(
    problem(412, { code: "version_mismatch", detail: "It has changed." }),
    json(200, { id: "exc_1", version: 3 }),
  );
  const change = (etag: string) =>
    tieout("api", "PATCH", "/v1/exceptions/exc_1", "--data", "{}", "--if-match", etag);
  expect((await change('"1"')).code).toBe(EXIT.conflict);
  expect(await change('"2"')).toMatchObject({ code: 0, stderr: "" });
  expect(api.received.map(({ headers }) => headers["if-match"])).toEqual(['"1"', '"2"']);
});
