import { PassThrough, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { confirm, password, select, text } from "@clack/prompts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import {
  json,
  type ScriptServer,
  type Step,
  scriptServer,
} from "../../typescript/test/script-server.ts";
import { SAVE_QUESTION, selectionOf } from "../src/commands/import.ts";
import { LOGIN_QUESTIONS } from "../src/commands/login.ts";
import { createProgram } from "../src/program.ts";

const COLUMNS = 40;
const ID = "019a9f4be2c04d6f8a1b3c5d7e9f0a2b";

type Streams = { input: PassThrough; output: Writable; signal: AbortSignal };

/** What a prompt shows in a terminal of 40 columns, until it is cancelled. */
async function shownBy(open: (streams: Streams) => Promise<unknown>): Promise<string> {
  let shown = "";
  const output = new Writable({
    write(chunk, _encoding, done) {
      shown += chunk;
      done();
    },
  });
  Object.assign(output, { columns: COLUMNS, rows: 24, isTTY: true });
  const controller = new AbortController();
  const answer = open({ input: new PassThrough(), output, signal: controller.signal });
  controller.abort();
  await answer;
  return stripVTControlCharacters(shown);
}

const widthOf = (shown: string) => Math.max(...shown.split("\n").map((line) => line.length));
/** Without the breaks of lines, and the bar at their beginning. */
const joined = (shown: string) => shown.replaceAll(/[\s│]/g, "");

const QUESTION = {
  message: "Which column has the day on which the bank booked a line? Two could be meant.",
  choices: [
    { value: "Buchungsdatum der Bank in Kontowährung", reads_as: "31.10.2026 as 31 October 2026" },
    { value: "a_header_without_a_space_that_is_longer_than_a_line", reads_as: null },
  ],
};

test.each<[string, (streams: Streams) => Promise<unknown>, string[]]>([
  [
    "a question about a file",
    (streams) => select({ ...streams, ...selectionOf(QUESTION as never) }),
    [
      QUESTION.message,
      ...QUESTION.choices.flatMap(({ value, reads_as }) => [value, reads_as ?? ""]),
    ],
  ],
  [
    "whether answers are saved",
    (streams) => confirm({ ...streams, message: SAVE_QUESTION }),
    [SAVE_QUESTION, "Yes", "No"],
  ],
  [
    "the address of a login",
    (streams) =>
      text({
        ...streams,
        message: LOGIN_QUESTIONS.url,
        initialValue: "https://reconciliation.of-a-long-name.example",
      }),
    [LOGIN_QUESTIONS.url, "https://reconciliation.of-a-long-name.example"],
  ],
  [
    "the tenant of a login",
    (streams) => text({ ...streams, message: LOGIN_QUESTIONS.tenant }),
    [LOGIN_QUESTIONS.tenant],
  ],
  [
    "the credential of a login",
    (streams) => password({ ...streams, message: LOGIN_QUESTIONS.credential }),
    [LOGIN_QUESTIONS.credential],
  ],
])("%s is whole in 40 columns", async (_name, open, texts) => {
  const shown = await shownBy(open);
  expect(widthOf(shown), shown).toBeLessThanOrEqual(COLUMNS);
  for (const one of texts) expect(joined(shown)).toContain(joined(one));
});

let server: ScriptServer;
beforeAll(async () => {
  server = await scriptServer();
  vi.stubEnv("TIEOUT_URL", server.url);
  vi.stubEnv("TIEOUT_TENANT", "acme");
  vi.stubEnv("TIEOUT_TOKEN", "id.secret");
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
});
const { columns } = process.stdout;
let printed: string[];
beforeEach(() => {
  printed = [];
  vi.spyOn(console, "log").mockImplementation((line) => printed.push(line));
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
  process.stdout.columns = columns;
});

const me = {
  tenant_id: "acme",
  principal: {
    type: "api_key",
    id: `key_${ID}`,
    name: "Nightly",
    roles: [],
    scopes: ["read:exceptions", "read:reconciliations", "write:reconciliations"],
  },
};
const preview = {
  format: "camt.053",
  mapping: null,
  questions: [],
  read_count: 1_204_330,
  duplicate_count: 2,
  refused_count: 0,
  skipped_count: 3,
  warnings: [{ message: "The balances of 2026-10-31 differ by 12.50 EUR from the lines." }],
};
const source = json(200, { id: `src_${ID}` });
const imported = {
  id: `imp_${ID}`,
  status: "done",
  accepted_count: 5,
  duplicate_count: 0,
  refused_count: 0,
};
const run = { id: `run_${ID}`, status: "done", suggested_count: 1, open_count: 2 };
const match = { score: 0.9, currency: "EUR", amount_minor: 123_456_789_012 };

test.each<[string, string[], Step[]]>([
  ["whoami", ["whoami"], [json(200, me)]],
  ["keys check", ["keys", "check"], [json(200, me)]],
  [
    "a preview",
    ["import", import.meta.filename, "--source", `src_${ID}`, "--preview"],
    [source, json(200, preview)],
  ],
  [
    "an import",
    ["import", import.meta.filename, "--source", `src_${ID}`, "--wait"],
    [source, json(200, preview), json(202, imported)],
  ],
  ["a run", ["run", `rcn_${ID}`, "--wait"], [json(202, run)]],
  [
    "suggestions",
    ["matches", "confirm", `rcn_${ID}`, "--min-score", "0.5", "--dry-run"],
    [json(200, { items: [match, { ...match, currency: "JPY" }], next_cursor: null })],
  ],
  [
    "a sandbox",
    ["sandbox", "reset", "--sample"],
    [json(200, { tenant_id: "acme", reconciliation_id: `rcn_${ID}` })],
  ],
])("the facts of %s are whole in 40 columns, with unbroken IDs", async (_name, words, steps) => {
  const shownIn = async (width: number) => {
    printed = [];
    process.stdout.columns = width;
    server.script(...steps);
    await createProgram().parseAsync(words, { from: "user" });
    return printed.join("\n");
  };
  const shown = await shownIn(COLUMNS);
  expect(widthOf(shown), shown).toBeLessThanOrEqual(COLUMNS);
  expect(shown.split(/\s+/)).toEqual((await shownIn(10_000)).split(/\s+/));
});
