import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stack } from "#e2e/fixtures.ts";
import type { NewApiKey } from "#lib/api-keys/contract.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import { Fixture, line, RUN_TIMEOUT_MS } from "../matching/matching-fixture.ts";
import { MAIN } from "./command.ts";

const SUGGEST = { name: "Equal", kind: "exact", on: ["reference"], then: "suggest" };

let fixture: Fixture;
let folder: string;
let exception: Exception;
beforeAll(async () => {
  fixture = await Fixture.create();
  folder = await mkdtemp(join(tmpdir(), "tieout-mcp-"));
  await writeFile(
    join(folder, "bank.csv"),
    "value_date,amount,reference\n2026-10-05,80.50,INV-9\n",
  );
  exception = await fixture.ok("POST", "exceptions", {
    body: { title: "Payout 4711", severity: "high" },
  });
  const { period } = fixture;
  await fixture.ok("PUT", `reconciliations/${period}/rules`, { body: { rules: [SUGGEST] } });
  const lines = [1, 2].map((n) => line(`n${n}`, n * 1_000, { reference: `INV-${n}` }));
  await fixture.add("left", [...lines, line("open", 7_700)]);
  await fixture.add("right", lines);
  expect(await fixture.run()).toMatchObject({ suggested_count: 2 });
}, RUN_TIMEOUT_MS);
afterAll(() => rm(folder, { recursive: true }));

/** The answer as a model reads it: JSON, or the text of a failure. */
type Answer = { failed: boolean; text: string; json: () => unknown };

async function withModel(
  { scopes, args = [] }: { scopes: string[]; args?: string[] },
  work: (call: (name: string, input?: object) => Promise<Answer>, model: Client) => Promise<void>,
): Promise<void> {
  const key = await fixture.ok<NewApiKey>("POST", `tenants/${fixture.tenant}/api-keys`, {
    body: { name: "A model", scopes },
  });
  const model = new Client({ name: "a model", version: "1" });
  await model.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, "mcp", ...args],
      env: {
        TIEOUT_URL: stack.url,
        TIEOUT_TENANT: fixture.tenant,
        TIEOUT_TOKEN: `${key.key_id}.${key.key_secret}`,
      },
    }),
  );
  const call = async (name: string, input: object = {}): Promise<Answer> => {
    const { content, isError } = await model.callTool({ name, arguments: { ...input } });
    const [{ text = "" } = {}] = content as { text?: string }[];
    return { failed: isError === true, text, json: () => JSON.parse(text) };
  };
  try {
    await work(call, model);
  } finally {
    await model.close();
  }
}

const READING = ["read:exceptions", "read:reconciliations"];
const suggested = async () => (await fixture.matches({ state: "suggested" })).length;

test("every read tool returns the tenant's own data", async () => {
  const { tenant, period, left } = fixture;
  const named = { id: period };
  const bank = { path: join(folder, "bank.csv"), source_id: left };
  const CALLS: Record<string, [input: object, answer: object]> = {
    whoami: [{}, { tenant_id: tenant, principal: { type: "api_key" } }],
    list_exceptions: [{ severity: "critical,high", q: "4711" }, { items: [{ id: exception.id }] }],
    get_exception: [{ id: exception.id }, { title: "Payout 4711" }],
    get_exception_history: [{ id: exception.id }, { items: [{}] }],
    list_reconciliations: [{ limit: 1 }, { items: [named] }],
    get_reconciliation: [named, named],
    get_checklist: [named, {}],
    get_proof: [named, {}],
    list_open_lines: [{ ...named, limit: 1 }, { items: [{}] }],
    list_matches: [
      { ...named, state: "suggested" },
      { items: [{ state: "suggested" }, { state: "suggested" }] },
    ],
    list_sources: [{}, { items: expect.arrayContaining([expect.objectContaining({ id: left })]) }],
    list_events: [{ types: "exception.created", limit: 1 }, { items: [{}] }],
    preview_import: [bank, {}],
    count_suggestions: [{ ...named, min_score: 0 }, { count: 2 }],
  };
  await withModel({ scopes: [...READING, "write:reconciliations"] }, async (call, model) => {
    const { tools } = await model.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(CALLS).sort());
    for (const [name, [input, wanted]] of Object.entries(CALLS)) {
      const answer = await call(name, input);
      expect(answer, name).toMatchObject({ failed: false });
      expect(answer.json(), name).toMatchObject(wanted);
    }
    // A preview imports nothing, and the tools that write don't exist.
    expect(
      (await call("confirm_matches", { ...named, min_score: 0, expected_count: 2 })).text,
    ).toBe("There is no tool confirm_matches.");
    expect((await call("import_file", bank)).failed).toBe(true);
  });
  expect(await suggested()).toBe(2);
  expect(
    await fixture.ok("GET", "lines", { query: { source_id: left, q: "INV-9" } }),
  ).toMatchObject({ items: [] });
});

test("a tool can do no more than its key, and says what is wrong", async () => {
  await withModel({ scopes: ["read:exceptions"] }, async (call) => {
    const refused = await call("get_reconciliation", { id: fixture.period });
    expect(refused).toMatchObject({
      failed: true,
      text: expect.stringContaining("read:reconciliations"),
    });
    expect(await call("get_exception", { id: "exc_unknown" })).toMatchObject({ failed: true });
    const wrong = await call("list_exceptions", { severity: "urgent" });
    expect(wrong).toMatchObject({ failed: true, text: expect.stringContaining("severity") });
  });
  const args = ["--allow-writes"];
  await withModel({ scopes: READING, args }, async (call) => {
    const input = { id: fixture.period, min_score: 0, expected_count: 2 };
    expect(await call("confirm_matches", input)).toMatchObject({
      failed: true,
      text: expect.stringContaining("write:reconciliations"),
    });
  });
  expect(await suggested()).toBe(2);
});

test("with permission, a model imports a file and confirms the matches it counted", async () => {
  const scopes = [...READING, "write:reconciliations"];
  await withModel({ scopes, args: ["--allow-writes"] }, async (call) => {
    const bank = { path: join(folder, "bank.csv"), source_id: fixture.left };
    expect((await call("import_file", bank)).json()).toMatchObject({
      status: "done",
      accepted_count: 1,
    });
    expect(await call("import_file", { ...bank, path: join(folder, "none.csv") })).toMatchObject({
      failed: true,
    });
    const confirm = { id: fixture.period, min_score: 0 };
    expect(await call("confirm_matches", { ...confirm, expected_count: 3 })).toMatchObject({
      failed: true,
    });
    expect(await suggested()).toBe(2);
    expect(await call("confirm_matches", { ...confirm, expected_count: 2 })).toMatchObject({
      failed: false,
    });
    expect(await fixture.matches({ state: "confirmed" })).toHaveLength(2);
  });
});
