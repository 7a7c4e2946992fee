import { mkdtemp, readFile, rm } from "node:fs/promises";
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
import { runTieout } from "./run-cli.ts";

let api: ScriptServer;
let folder: string;
beforeAll(async () => {
  api = await scriptServer();
  folder = await mkdtemp(join(tmpdir(), "tieout-include-"));
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true });
});

const HEADERS = /^(?:[a-z-]+: .*\n)+$/;

/** A response as it was printed: its status line, its headers and the rest. */
function partsOf(stdout: string) {
  const [head = "", ...body] = stdout.split("\n\n");
  const [status, ...headers] = head.split("\n");
  return { status, headers: `${headers.join("\n")}\n`, body: body.join("\n\n") };
}

test.each(["--include", "-i"])("%s prints the status line and headers first", async (option) => {
  api.script(json(200, { id: "exc_1" }, { etag: '"3"' }));
  const ended = await runTieout(api.url, ["api", "GET", "/v1/exceptions/exc_1", option]);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  const { status, headers, body } = partsOf(ended.stdout);
  expect(status).toBe("HTTP 200 OK");
  expect(headers).toMatch(HEADERS);
  expect(headers).toContain('etag: "3"\n');
  expect(JSON.parse(body)).toEqual({ id: "exc_1" });
});

test("--include prints the status line and headers of a refusal", async () => {
  api.script(problem(409, { code: "conflict" }, "7"));
  const { code, stdout, stderr } = await runTieout(api.url, ["api", "POST", "/v1/x", "--include"]);
  const { status, headers, body } = partsOf(stdout);
  expect(status).toBe("HTTP 409 Conflict");
  expect(headers).toMatch(HEADERS);
  expect(headers).toContain("retry-after: 7\n");
  expect(body).toBe("");
  expect(stderr).toMatch(/^Error: No\.\n/);
  expect(code).toBe(EXIT.conflict);
});

test("--include shows only the last of several attempts", async () => {
  api.script(problem(503, {}, "0"), json(200, {}));
  const { stdout } = await runTieout(api.url, ["api", "GET", "/v1/lines", "--include"]);
  expect(stdout.match(/^HTTP .*$/gm)).toEqual(["HTTP 200 OK"]);
});

test("with --output, --include prints the head, and the file has only the body", async () => {
  api.script((response) =>
    response.writeHead(200, { "content-type": "text/csv" }).end("id\r\n1\r\n"),
  );
  const path = join(folder, "lines.csv");
  const args = ["api", "GET", "/v1/lines/export", "--output", path, "--include"];
  const { code, stdout } = await runTieout(api.url, args);
  expect(code).toBe(0);
  expect(partsOf(stdout)).toMatchObject({
    status: "HTTP 200 OK",
    headers: expect.stringContaining("content-type: text/csv\n"),
    body: "",
  });
  expect(await readFile(path, "utf8")).toBe("id\r\n1\r\n");
});

test.each(["--paginate", "--json"])("--include with %s is wrong usage", async (option) => {
  api.script();
  const { code, stderr } = await runTieout(api.url, ["api", "GET", "/v1/x", "--include", option]);
  expect(code).toBe(EXIT.usage);
  expect(stderr).toContain("--include prints one response as text");
  expect(api.received).toHaveLength(0);
});
