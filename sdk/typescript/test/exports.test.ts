import { afterAll, beforeAll, expect, test } from "vitest";
import { type Export, Tieout } from "../src/index.ts";
import { type ScriptServer, scriptServer } from "./script-server.ts";

let server: ScriptServer;
let tieout: Tieout;
beforeAll(async () => {
  server = await scriptServer();
  tieout = new Tieout({ key: "id.secret", tenant: "acme", baseUrl: server.url });
});
afterAll(() => server.close());

async function textOf(file: Export): Promise<string> {
  let text = "";
  for await (const part of file.bytes()) text += new TextDecoder().decode(part);
  return text;
}

test("an export yields its rows", async () => {
  server.script((response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.write('{"id":"ä"}\n{"id"');
    response.end(':"b"}\n{"$end":{"rows":2}}\n');
  });
  const rows: unknown[] = [];
  for await (const row of tieout.exceptions.export({ severity: ["high"] })) rows.push(row);
  expect(rows).toEqual([{ id: "ä" }, { id: "b" }]);
  expect(server.received[0]?.url).toBe(
    "/v1/exceptions/export?severity=high&format=ndjson&end_mark=true",
  );
});

test.each([
  ["by the connection", "application/x-ndjson", '{"id":"a"}\n', true],
  ["between two rows", "application/x-ndjson", '{"id":"a"}\n', false],
  ["between two rows of CSV", "text/csv", "id\r\na\r\n", false],
  ["within its end mark", "text/csv", "id\r\na\r\n#end,1", false],
  ["within a row", "application/x-ndjson", '{"id":"a"}\n{"id"', false],
  ["within a row of CSV", "text/csv", "id\r\na", false],
  ["before the end of a zip", "application/zip", "PK\u0003\u0004", false],
  ["in its middle", "application/x-ndjson", '{"id":"a"}\n{"$end":{"rows":2}}\n', false],
  ["in its middle, as CSV", "text/csv", 'id\r\n"a\nb"\r\n#end,2\r\n', false],
  ["and joined to another", "text/csv", "id\r\na\r\nb\r\n#end,1\r\n", false],
])("an export that was cut %s throws", async (_name, type, text, isDestroyed) => {
  server.script((response) => {
    response.writeHead(200, { "content-type": type });
    response.write(text, () => (isDestroyed ? response.destroy() : response.end()));
  });
  const read = async () => {
    for await (const _ of tieout.exceptions.export({ format: "csv" }).bytes());
  };
  await expect(read()).rejects.toMatchObject({ code: "incomplete_response" });
});

test("a file's bytes are those of the export, without its end mark", async () => {
  const rows = Array.from({ length: 50 }, (_, row) => `${row},#end\r\n`).join("");
  server.script((response) => {
    response.writeHead(200, { "content-type": "text/csv; charset=utf-8" });
    response.write(`id,note\r\n${rows.slice(0, 100)}`);
    response.end(`${rows.slice(100)}#end,50\r\n`);
  });
  expect(await textOf(tieout.exceptions.export({ format: "csv" }))).toBe(`id,note\r\n${rows}`);
});

test("a cell with line breaks and quotes is one row", async () => {
  const csv = `id,note\r\n1,"a\r\n""b""\n,${"c".repeat(100)}"\r\n2,d\r\n`;
  server.script((response) => {
    response.writeHead(200, { "content-type": "text/csv; charset=utf-8" });
    response.end(`${csv}#end,2\r\n`);
  });
  expect(await textOf(tieout.exceptions.export({ format: "csv" }))).toBe(csv);
});

test.each([
  ["evidence", () => tieout.evidence.getContent("evd_1"), "/v1/evidence/evd_1/content"],
  [
    "a ledger's file",
    () => tieout.entryBatches.getLedgerFile("bat_1", { format: "datev" }),
    "/v1/entry-batches/bat_1/ledger-file?format=datev",
  ],
])("%s is a file of any type, without an end mark", async (_name, open, url) => {
  server.script((response) => {
    response.writeHead(200, { "content-type": "application/octet-stream" });
    response.end("Approved by phone.");
  });
  expect(await textOf(open())).toBe("Approved by phone.");
  expect(server.received[0]?.url).toBe(url);
});

test("a workbook is checked by its own end, and has no end mark", async () => {
  const end = `PK\u0005\u0006${"\0".repeat(18)}`;
  const type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
  const send = (text: string) =>
    server.script((response) => response.writeHead(200, { "content-type": type }).end(text));
  const open = () => tieout.reconciliations.exportStatement("rcn_1", { format: "xlsx" });
  send(`PK\u0003\u0004${"x".repeat(200)}${end}`);
  expect(await textOf(open())).toHaveLength(226);
  send(`PK\u0003\u0004${"x".repeat(200)}`);
  await expect(textOf(open())).rejects.toMatchObject({ code: "incomplete_response" });
});

test("a proxy's page instead of rows is an incomplete export", async () => {
  server.script((response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<html>Sign in</html>");
  });
  await expect(textOf(tieout.exceptions.export({ format: "csv" }))).rejects.toMatchObject({
    code: "incomplete_response",
  });
});

test("a signal stops an export that is being read", async () => {
  const controller = new AbortController();
  server.script((response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.write(`{"id":"a"}\n${" ".repeat(80)}`);
  });
  const rows: unknown[] = [];
  const read = async () => {
    for await (const row of tieout.exceptions.export({}, { signal: controller.signal })) {
      rows.push(row);
      controller.abort();
    }
  };
  await expect(read()).rejects.toMatchObject({ name: "AbortError" });
  expect(rows).toHaveLength(1);
});
