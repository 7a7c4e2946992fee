import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTenant, stack, userToken } from "#e2e/fixtures.ts";
import { BANK_CSV, LEDGER_CSV } from "#e2e/sample-statements.ts";
import type { NewApiKey } from "#lib/api-keys/contract.ts";
import type { Import } from "#lib/imports/contract.ts";
import type { Run } from "#lib/matching/runs/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { type Delivery, Tieout, unwrap } from "../../../sdk/typescript/src/index.ts";
import { Cli } from "./command.ts";

let tenant: string;
let token: string;
let folder: string;
let cli: Cli;
let tieout: Tieout;
beforeAll(async () => {
  tenant = await createTenant();
  token = await userToken(tenant, ["tenant_admin"]);
  folder = await mkdtemp(join(tmpdir(), "tieout-cli-"));
  cli = new Cli({ TIEOUT_CONFIG: join(folder, "config/config.json") });
  tieout = new Tieout({ key: token, tenant, baseUrl: stack.url });
  await cli.run(["login", "--url", stack.url, "--tenant", tenant, "--stdin"], token);
});
afterAll(() => rm(folder, { recursive: true }));

test("a profile is readable only by its owner, and refused if others can read it", async () => {
  const file = join(folder, "config/config.json");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await cli.run(["whoami"])).stdout).toMatch(/Caller +user ada\n/);
  expect(await cli.run(["whoami", "--profile", "other"])).toMatchObject({ code: 2 });
  const open = new Cli({ TIEOUT_CONFIG: join(folder, "open.json") });
  await writeFile(join(folder, "open.json"), await readFile(file), { mode: 0o644 });
  expect(await open.run(["whoami"])).toMatchObject({ code: 1, stdout: "" });
});

test("listen forwards triggered and real events, signed with the printed secret", async () => {
  const received: { body: string; headers: Record<string, string> }[] = [];
  const receiver = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    received.push({ body, headers: request.headers as Record<string, string> });
    response.writeHead(204).end();
  }).listen(0);
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const listening = cli.start(["listen", "--forward", url]);
  try {
    await listening.prints("Ready.");
    const triggered = await cli.json<{ id: string }>("trigger", "exception.sla.breached");
    const exception = await tieout.exceptions.create({ title: "Payout 4711", severity: "low" });
    await listening.prints("exception.created");
    await listening.prints(triggered.id);
    const [, secret = ""] = /Signing secret: (\S+)/.exec(listening.stderr) ?? [];
    const events: Delivery[] = await Promise.all(
      received.map(({ body, headers }) => unwrap(body, headers, secret)),
    );
    expect(events).toMatchObject([
      { id: triggered.id, type: "exception.sla.breached", test: true },
      { type: "exception.created", data: { exception: { id: exception?.id } } },
    ]);
    expect(await listening.stop()).toMatchObject({ code: 130 });

    const again = await cli.run(["listen", "--forward", url, "--replay", triggered.id]);
    expect(again.stdout).toContain(`204  exception.sla.breached  ${triggered.id}`);
    expect(received[2]?.body).toBe(received[0]?.body);
  } finally {
    listening.child.kill();
    receiver.close();
  }
});

test("a month on the command line: import, run, suggestions and close", async () => {
  const currency = "EUR";
  const bank = await tieout.sources.create({ name: "Bank", kind: "bank_statement", currency });
  const ledger = await tieout.sources.create({ name: "Ledger", kind: "ledger", currency });
  const period = await tieout.reconciliations.create({
    name: "Bank, April 2026",
    period_start: "2026-04-01",
    period_end: "2026-04-30",
    left_source_id: bank?.id ?? "",
    right_source_id: ledger?.id ?? "",
  });
  const [bankFile, ledgerFile] = [join(folder, "bank.csv"), join(folder, "ledger.csv")];
  await Promise.all([writeFile(bankFile, BANK_CSV), writeFile(ledgerFile, LEDGER_CSV)]);

  const unanswered = await cli.run(["import", bankFile, "--source", "Bank", "--wait"]);
  expect(unanswered).toMatchObject({ code: 8, stdout: "" });
  const [, answer = ""] = /--answer (date_format=DD\S+)/.exec(unanswered.stderr) ?? [];
  const answered = ["--source", "Bank", "--answer", answer, "--save-mapping", "--wait"];
  expect(await cli.json<Import>("import", bankFile, ...answered)).toMatchObject({
    status: "done",
    accepted_count: 2,
  });
  // The saved mapping answers the questions of the next file.
  const next = await cli.json<Import>("import", bankFile, "--source", "Bank", "--wait");
  expect(next).toMatchObject({ accepted_count: 0, duplicate_count: 2 });
  await cli.json("import", ledgerFile, "--source", "Ledger", "--wait");

  expect(await cli.json<Run>("run", period?.id ?? "", "--wait")).toMatchObject({ status: "done" });
  const confirm = ["matches", "confirm", period?.id ?? "", "--min-score", "0.5"];
  const counted = await cli.json<{ count: number }>(...confirm, "--dry-run");
  expect(await cli.json<{ count: number }>(...confirm)).toMatchObject({ count: counted.count });

  const matches = await cli.run(["export", "matches", period?.id ?? "", "--format", "ndjson"]);
  expect(matches.stdout.trim().split("\n").length).toBeGreaterThanOrEqual(2);
  const closed = await cli.json<Reconciliation>("close", period?.id ?? "", "--wait");
  expect(closed.closed_at).not.toBeNull();
  expect(await cli.run(["close", period?.id ?? ""])).toMatchObject({ code: 5 });

  const bundle = join(folder, "bundle.zip");
  const saved = ["export", "bundle", period?.id ?? "", "--output", bundle];
  expect(await cli.run(saved)).toMatchObject({ code: 0 });
  expect((await readFile(bundle)).subarray(0, 2).toString()).toBe("PK");
});

test.runIf(process.platform === "linux")(
  "at a terminal an import asks, and saves the answers in the given file",
  async () => {
    const source = await tieout.sources.create({ name: "Asked", kind: "ledger", currency: "EUR" });
    const file = join(folder, "asked.csv");
    await writeFile(file, BANK_CSV);
    const asking = cli.startAtTerminal(["import", file, "--source", "Asked", "--wait"]);
    await asking.prints("Which is it?");
    asking.child.stdin?.write("\r");
    await asking.prints("Save these answers with the source?");
    asking.child.stdin?.write("y");
    await asking.prints("New lines");
    expect((await asking.ended).code).toBe(0);
    const { mapping } = await tieout.sources.get(source?.id ?? "");
    expect(mapping).toMatchObject({ date_format: expect.stringMatching(/^(DD|MM)/) });
  },
);

test("a key is created, checked and rotated, and a wrong one exits with 3", async () => {
  const key = await cli.json<NewApiKey>(
    ...["keys", "create", "--name", "Cron", "--scope", "read:exceptions", "write:exceptions"],
  );
  const credential = `${key.key_id}.${key.key_secret}`;
  const checked = await cli.run(["keys", "check", "--stdin"], credential);
  expect(checked.stdout).toContain("read:exceptions write:exceptions");
  await cli.json("keys", "rotate", key.id, "--grace-period", "0");
  expect(await cli.run(["keys", "check", "--stdin"], credential)).toMatchObject({ code: 3 });
});

test("any operation can be called, and a list is read completely", async () => {
  const body = JSON.stringify({ title: "By api", severity: "high" });
  await cli.json("api", "POST", "/v1/exceptions", "--data", body);
  const { stdout } = await cli.run(["api", "GET", "/v1/exceptions?limit=1", "--paginate"]);
  const titles = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).title);
  expect(titles.length).toBeGreaterThan(1);
  expect(titles).toContain("By api");
  const missing = await cli.run(["api", "GET", "/v1/exceptions/exc_none", "--json"]);
  expect([missing.code, JSON.parse(missing.stderr).code]).toEqual([4, "not_found"]);
});
