import { execFile } from "node:child_process";
import { access, chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stack } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { NewApiKey } from "#lib/api-keys/contract.ts";
import type { EntryBatch } from "#lib/entries/contract.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import type { LoggedRequest } from "#lib/request-log/contract.ts";
import { EXPORT_NAMES } from "../../../sdk/cli/src/commands/export.ts";
import { Fixture, line } from "../matching/matching-fixture.ts";
import { Cli, MAIN } from "./command.ts";

const DAY_MS = 86_400_000;
const FEE = { account: "4970", counter_account: "1200", text: "Fee {reference}" };

let fixture: Fixture;
let folder: string;
let cli: Cli;
beforeAll(async () => {
  fixture = await Fixture.create();
  folder = await mkdtemp(join(tmpdir(), "tieout-cli-"));
  cli = as(fixture.admin);
});
afterAll(() => rm(folder, { recursive: true }));

const as = (token: string) =>
  new Cli({ TIEOUT_URL: stack.url, TIEOUT_TENANT: fixture.tenant, TIEOUT_TOKEN: token });
const raise = (title: string, severity = "low") =>
  fixture.ok<Exception>("POST", "exceptions", { body: { title, severity } });
const keyWith = (scopes: string[]) =>
  fixture.ok<NewApiKey>("POST", `tenants/${fixture.tenant}/api-keys`, {
    body: { name: "Command line", scopes },
  });

describe("exports", () => {
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    await raise("Payout 4711", "high");
    await raise("Payout 4712", "low");
    await keyWith(["read:exceptions"]);
    const { period } = fixture;
    await fixture.ok("PUT", `reconciliations/${period}/entry-rules`, {
      body: { rules: { fee: FEE } },
    });
    const [left = ""] = await fixture.add("left", [line("a", 9_750, { reference: "RG-1" })]);
    const [right = ""] = await fixture.add("right", [line("x", 10_000, { reference: "RG-1" })]);
    const adjustments = [{ kind: "fee", amount_minor: -250, note: "Card fee" }];
    await fixture.ok("POST", `reconciliations/${period}/matches`, {
      body: { line_ids: [left, right], adjustments },
    });
    await fixture.ok("POST", `reconciliations/${period}/close`);
    const { items } = await fixture.ok<{ items: EntryBatch[] }>("GET", "entry-batches");
    Object.assign(ids, { matches: period, statement: period, entries: items[0]?.id });
  });

  const EXPORTS: Record<string, { query?: () => string[]; rows: number; has: string }> = {
    exceptions: { query: () => ["severity=high"], rows: 1, has: "Payout 4711" },
    sla: { query: () => ["severity=high"], rows: 1, has: "Payout 4711" },
    "sla-report": {
      query: () => [
        "by=severity",
        ...Object.entries({ since: -DAY_MS, until: DAY_MS }).map(
          ([name, ms]) => `${name}=${new Date(Date.now() + ms).toISOString()}`,
        ),
      ],
      rows: 2,
      has: "high",
    },
    "security-events": {
      query: () => ["type=api_key.created"],
      rows: 1,
      has: "api_key.created",
    },
    matches: { rows: 2, has: "RG-1" },
    entries: { query: () => ["columns=amount,text"], rows: 1, has: "Fee RG-1" },
    statement: { query: () => ["matches=true"], rows: 3, has: "Card fee" },
  };

  test("each kind is tested", () => {
    // A bundle isn't a list. cli.test.ts saves one.
    expect([...Object.keys(EXPORTS), "bundle"].sort()).toEqual([...EXPORT_NAMES].sort());
  });

  test.each(Object.entries(EXPORTS))("%s export fully as CSV and NDJSON", async (what, wanted) => {
    const { query = () => [], rows, has } = wanted;
    const filters = query().flatMap((pair) => ["--query", pair]);
    const args = ["export", what, ...(ids[what] ? [ids[what]] : []), ...filters];
    const [csv, ndjson] = await Promise.all([
      cli.run([...args, "--format", "csv"]),
      cli.run([...args, "--format", "ndjson"]),
    ]);
    expect([csv, ndjson]).toMatchObject([
      { code: 0, stderr: "" },
      { code: 0, stderr: "" },
    ]);
    const lines = ndjson.stdout.split("\n").slice(0, -1);
    for (const row of lines) expect(JSON.parse(row)).not.toHaveProperty("$end");
    expect(csv.stdout).not.toContain("#end");
    expect(csv.stdout.trim().split("\r\n").length).toBe(lines.length + 1);
    expect(lines.length).toBeGreaterThanOrEqual(rows);
    expect(csv.stdout).toContain(has);
    expect(ndjson.stdout).toContain(has);
    expect(csv.stdout).not.toContain("4712");
  });

  test("a workbook is saved as a file, and a refused export leaves none", async () => {
    const file = join(folder, "statement.xlsx");
    const saved = await cli.run([
      ...["export", "statement", fixture.period, "--format", "xlsx", "--output", file],
    ]);
    expect(saved).toMatchObject({ code: 0, stdout: "" });
    expect((await readFile(file)).subarray(0, 2).toString()).toBe("PK");
    const none = join(folder, "exceptions.xlsx");
    const refused = ["export", "exceptions", "--format", "xlsx", "--output", none];
    expect(await cli.run(refused)).toMatchObject({ code: 6 });
    await expect(access(none)).rejects.toThrow();
  });

  test("a missing or unexpected ID is a usage error", async () => {
    for (const what of ["matches", "statement", "entries"])
      expect(await cli.run(["export", what])).toMatchObject({ code: 2, stdout: "" });
    expect(await cli.run(["export", "exceptions", "exc_1"])).toMatchObject({ code: 2 });
  });
});

test("logs tail prints the latest calls and each later one once, but not its own calls", async () => {
  const key = await keyWith(["read:requests"]);
  const raised: string[] = [];
  for (let n = 0; n < 12; n++) raised.push((await raise(`Logged ${n}`)).id);
  await until("the calls are logged", async () => {
    const query = { resource: raised.at(-1) ?? "" };
    const page = await fixture.ok<{ items: object[] }>("GET", "requests", { query });
    return page.items.length > 0;
  });
  const tail = as(`${key.key_id}.${key.key_secret}`).start(["logs", "tail", "--json"]);
  try {
    await tail.prints("\n");
    const late = await raise("Logged late");
    await tail.prints(late.id);
    const later = await raise("Logged later");
    await tail.prints(later.id);
    const { code, stdout } = await tail.stop();
    expect(code).toBe(130);
    const calls: LoggedRequest[] = stdout
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
    expect(calls.filter(({ actor }) => actor === `api_key:${key.id}`)).toEqual([]);
    const resources = calls.map(({ resource }) => resource);
    expect(resources.filter((id) => id === late.id || id === later.id)).toEqual([
      late.id,
      later.id,
    ]);
    expect(raised.slice(0, 2).filter((id) => resources.includes(id))).toEqual([]);
  } finally {
    tail.child.kill();
  }
});

test("logs tail --failed prints only failed calls, as text", async () => {
  const tail = cli.start(["logs", "tail", "--failed"]);
  try {
    await raise("Succeeds");
    await fixture.call("GET", "exceptions/exc_unknown");
    await tail.prints("404  GET /v1/exceptions/exc_unknown");
    expect((await tail.stop()).stdout).not.toMatch(/ {2}20\d {2}/);
  } finally {
    tail.child.kill();
  }
});

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(" ");

/** Prints the completions that a shell offers for the last word, one per line. */
const COMPLETE: Record<string, (words: readonly string[]) => string> = {
  bash: (words) => `eval "$(tieout completion bash)"
    COMP_WORDS=(${quoted(words)}); COMP_CWORD=${words.length - 1}
    _tieout; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (words) => `compdef() { }; compadd() { print -l -- \${(P)2} }
    eval "$(tieout completion zsh)"; words=(${quoted(words)}); CURRENT=${words.length}; _tieout`,
  fish: (words) => `tieout completion fish | source; complete -C "${words.join(" ")}"`,
};

test.for(Object.keys(COMPLETE))(
  "completion in %s offers what can follow, whatever was typed before",
  async (shell, { skip }) => {
    const run = promisify(execFile);
    const isInstalled = await run(shell, ["-c", "true"]).then(
      () => true,
      () => false,
    );
    skip(!isInstalled, `${shell} isn't installed.`);
    const command = join(folder, "tieout");
    await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
    await chmod(command, 0o755);
    const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}`, HOME: folder };
    const complete = async (...words: string[]) => {
      const script = COMPLETE[shell]?.(["tieout", ...words]) ?? "";
      const { stdout, stderr } = await run(shell, ["-c", script], { env, cwd: folder });
      expect(stderr).toBe("");
      const offered = stdout.trim().split("\n");
      return offered.filter((value) => value.startsWith(words.at(-1) ?? "") && value !== "tieout");
    };
    expect(await complete("ex")).toEqual(["export"]);
    expect(await complete("export", "sla")).toEqual(["sla", "sla-report"]);
    expect(await complete("keys", "rot")).toEqual(["rotate"]);
    expect(await complete("--profile", "work", "logs", "t")).toEqual(["tail"]);
    expect(await complete("import", "a.csv", "--source", "Bank", "--w")).toEqual(["--wait"]);
    for (const option of ["--profile", "--help", "--version"])
      expect(await complete(option, "log")).toEqual(["login", "logs"]);
  },
);
