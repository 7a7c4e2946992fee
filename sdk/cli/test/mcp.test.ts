import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  json,
  problem,
  type ScriptServer,
  scriptServer,
} from "../../typescript/test/script-server.ts";

const MAIN = join(import.meta.dirname, "../src/main.ts");

let api: ScriptServer;
beforeAll(async () => {
  api = await scriptServer();
});
afterAll(() => api.close());

async function withModel(args: string[], work: (model: Client) => Promise<void>): Promise<void> {
  const model = new Client({ name: "a model", version: "1" });
  await model.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, "mcp", ...args],
      env: { TIEOUT_URL: api.url, TIEOUT_TENANT: "acme", TIEOUT_TOKEN: "id.secret" },
    }),
  );
  try {
    await work(model);
  } finally {
    await model.close();
  }
}

test("a model gets tools that read, and tools that write only with --allow-writes", async () => {
  const writing = ["confirm_matches", "import_file"];
  await withModel([], async (model) => {
    const { tools } = await model.listTools();
    expect(tools.length).toBeGreaterThanOrEqual(14);
    for (const { name, annotations } of tools) {
      expect(writing).not.toContain(name);
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    }
    const refused = await model.callTool({ name: "import_file", arguments: {} });
    expect(refused).toMatchObject({ isError: true });
    expect(api.received).toEqual([]);
  });
  await withModel(["--allow-writes"], async (model) => {
    const { tools } = await model.listTools();
    const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint);
    expect(destructive.map(({ name }) => name)).toEqual(writing);
    expect(tools.map(({ name }) => name).join()).not.toMatch(/close|write_off|key|webhook/);
  });
});

test("a tool calls the API with the profile, and reports errors", async () => {
  await withModel([], async (model) => {
    api.script(
      json(200, { items: [{ id: "exc_1" }], next_cursor: null }),
      problem(404, { detail: "None." }),
    );
    const listed = await model.callTool({
      name: "list_exceptions",
      arguments: { severity: "critical,high" },
    });
    expect(api.received[0]).toMatchObject({
      url: "/v1/exceptions?severity=critical%2Chigh&limit=20",
      headers: { authorization: "Bearer id.secret", "x-tenant-id": "acme" },
    });
    expect(JSON.stringify(listed.content)).toContain("exc_1");
    const missing = await model.callTool({ name: "get_exception", arguments: { id: "exc_2" } });
    expect(missing).toMatchObject({ isError: true });
    expect(JSON.stringify(missing.content)).toContain("None.");
  });
});

test("a tool without a required argument names it, and calls nothing", async () => {
  await withModel(["--allow-writes"], async (model) => {
    api.script();
    const { tools } = await model.listTools();
    for (const { name, inputSchema } of tools)
      for (const missing of inputSchema.required ?? []) {
        const others = (inputSchema.required ?? []).filter((value) => value !== missing);
        const input = Object.fromEntries(
          others.map((other) => [other, /score|count/.test(other) ? 1 : "x"]),
        );
        const { isError, content } = await model.callTool({ name, arguments: input });
        expect(isError, name).toBe(true);
        expect(JSON.stringify(content), name).toContain(`required property '${missing}'`);
      }
    for (const [name, input, expected] of [
      ["get_exception", { id: "" }, "arguments/id"],
      ["get_exception", { exception_id: "exc_1" }, "Its arguments: id (required)."],
      ["list_sources", { limit: "all" }, "arguments/limit must be integer"],
      ["count_suggestions", { id: "rcn_1", min_score: 80 }, "arguments/min_score must be <= 1"],
      ["whoami", { id: "x" }, "It takes none."],
    ] as const) {
      const { isError, content } = await model.callTool({ name, arguments: input });
      expect(isError).toBe(true);
      expect(JSON.stringify(content)).toContain(expected);
    }
    expect(api.received).toEqual([]);
  });
});
