import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Tieout } from "../src/index.ts";
import { openFile } from "../src/node.ts";
import { json, problem, refuse, type ScriptServer, scriptServer } from "./script-server.ts";

vi.mock("../src/sleep.ts", () => ({ sleep: async () => {} }));

let server: ScriptServer;
let tieout: Tieout;
beforeAll(async () => {
  server = await scriptServer();
  tieout = new Tieout({ key: "id.secret", tenant: "acme", baseUrl: server.url });
});
afterAll(() => server.close());

const started = json(202, { id: "imp_1", status: "queued" });
const done = json(200, { id: "imp_1", status: "done", accepted_count: 2 });

test("an import is retried from its beginning, and waited for with progress", async () => {
  const path = join(tmpdir(), `tieout-sdk-${process.pid}.csv`);
  await writeFile(path, "a,b\n1,2\n");
  server.script(refuse, started, json(200, { status: "reading" }), refuse, done);
  const seen: string[] = [];
  const result = await tieout.imports.createAndWait(
    "src_1",
    await openFile(path, { type: "text/csv" }),
    { file_name: "bank.csv" },
    { onProgress: ({ status }) => seen.push(status) },
  );
  expect(result.accepted_count).toBe(2);
  expect(seen).toEqual(["queued", "reading", "done"]);
  const [first, second] = server.received;
  expect(first?.url).toBe("/v1/sources/src_1/imports?file_name=bank.csv");
  expect([first?.body, second?.body]).toEqual(["a,b\n1,2\n", "a,b\n1,2\n"]);
  expect(first?.headers["content-type"]).toBe("text/csv");
  expect(second?.headers["idempotency-key"]).toBe(first?.headers["idempotency-key"]);
});

test("a stream is sent, and not retried", async () => {
  server.script(started, done);
  await tieout.imports.createAndWait(
    "src_1",
    Readable.from([Buffer.from("a\n"), Buffer.from("b\n")]),
  );
  expect(server.received[0]?.body).toBe("a\nb\n");
  server.script(problem(503, { code: "unavailable" }, "0"), started);
  const sent = tieout.imports.createAndWait("src_1", new Blob(["a\n"]).stream());
  await expect(sent).rejects.toMatchObject({ code: "unavailable" });
  expect(server.received).toHaveLength(1);
});

test("a failed import or run throws its reason", async () => {
  server.script(started, json(200, { id: "imp_1", status: "failed", failure: "No header." }));
  await expect(tieout.imports.createAndWait("src_1", "x")).rejects.toMatchObject({
    code: "failed",
    message: "No header.",
  });
  server.script(json(202, { id: "run_1", status: "failed", failure: "Too many lines." }));
  await expect(tieout.runs.createAndWait("rcn_1")).rejects.toThrow("Too many lines.");
});

test("waits for a run", async () => {
  server.script(
    json(202, { id: "run_1", status: "queued" }),
    json(200, { id: "run_1", status: "done" }),
  );
  expect(await tieout.runs.createAndWait("rcn_1", { dry_run: true })).toMatchObject({
    status: "done",
  });
  expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "POST /v1/reconciliations/rcn_1/runs",
    "GET /v1/runs/run_1",
  ]);
});

test("waits for a close, and throws the reason if it failed", async () => {
  const closing = json(200, { closing: true, closed_at: null });
  server.script(closing, closing, json(200, { closing: false, closed_at: "2026-11-01" }));
  const period = await tieout.reconciliations.closeAndWait("rcn_1");
  expect(period.closed_at).toBe("2026-11-01");
  server.script(closing, json(200, { closing: false, closed_at: null, closing_failure: "Why." }));
  await expect(tieout.reconciliations.closeAndWait("rcn_1")).rejects.toThrow("Why.");
});

test("If-Match is sent with the close, and not with the calls that wait for it", async () => {
  server.script(
    json(200, { closing: true, closed_at: null }),
    json(200, { closing: false, closed_at: "2026-11-01" }),
  );
  await tieout.reconciliations.closeAndWait("rcn_1", { ifMatch: '"1"' });
  expect(server.received.map(({ headers }) => headers["if-match"])).toEqual(['"1"', undefined]);
});

test("a key that can't read the work says so rather than waiting", async () => {
  server.script((response) => response.writeHead(204).end());
  await expect(tieout.runs.createAndWait("rcn_1")).rejects.toThrow(
    "The key lacks the read scope, so the end can't be waited for.",
  );
});

test("waiting ends with a timeout after its time", async () => {
  server.script(started);
  await expect(tieout.imports.createAndWait("src_1", "x", {}, { waitMs: 0 })).rejects.toMatchObject(
    { code: "timeout", retryable: true },
  );
});
