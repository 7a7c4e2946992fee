import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, expect } from "@playwright/test";
import { type Delivery, Tieout, unwrap } from "../../sdk/typescript/src/index.ts";
import { Cli } from "../api/cli/command.ts";
import { createTenant, stack, userToken } from "../fixtures.ts";
import { BANK_CSV, LEDGER_CSV } from "../sample-statements.ts";
import { picture, Terminal } from "./terminal.ts";

const CTRL_C = "\u0003";

type Desk = { cli: Cli; folder: string; tieout: Tieout };

/** A person who has logged in, in a folder with the files of a month. */
const test = base.extend<{ desk: Desk }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the parameters
  desk: async ({}, use) => {
    const tenant = await createTenant();
    const token = await userToken(tenant, ["tenant_admin"]);
    const folder = await mkdtemp(join(tmpdir(), "tieout-terminal-"));
    const cli = new Cli({ TIEOUT_CONFIG: join(folder, "config/config.json") });
    await writeFile(join(folder, "bank-april.csv"), BANK_CSV);
    await writeFile(join(folder, "ledger-april.csv"), LEDGER_CSV);
    await cli.run(["login", "--url", stack.url, "--tenant", tenant, "--stdin"], token);
    await use({ cli, folder, tieout: new Tieout({ key: token, tenant, baseUrl: stack.url }) });
    await rm(folder, { recursive: true });
  },
});
test.skip(process.platform !== "linux", "only Linux has this script(1)");
test.setTimeout(300_000);

const sourceOf = async ({ tieout }: Desk, name: string, kind: "bank_statement" | "ledger") =>
  (await tieout.sources.create({ name, kind, currency: "EUR" }))?.id ?? "";

test("listen forwards a triggered event, signed, at a terminal", async ({ desk, browser }) => {
  const [listening, triggering] = [
    new Terminal(desk.cli, desk.folder),
    new Terminal(desk.cli, desk.folder),
  ];
  const verified: Delivery[] = [];
  const receiver = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const [, secret = ""] = /Signing secret: (\S+)/.exec(await listening.text()) ?? [];
    const event = await unwrap(body, request.headers as Record<string, string>, secret).catch(
      () => undefined,
    );
    if (event) verified.push(event);
    response.writeHead(event ? 204 : 400).end();
  }).listen(0);
  try {
    const { port } = receiver.address() as AddressInfo;
    const { ended } = listening.type("listen", "--forward", `localhost:${port}`);
    await listening.shows("Ready.");
    await triggering.run("trigger", "exception.created");
    await listening.shows("204  exception.created");
    expect(verified).toMatchObject([{ type: "exception.created", test: true }]);
    expect(await triggering.text()).toContain(verified[0]?.id);
    await picture(browser, "listen", listening, triggering);
    listening.press(CTRL_C);
    expect((await ended).code).toBe(130);
  } finally {
    receiver.close();
  }
});

test("import asks a question that a file leaves open, at a terminal", async ({ desk, browser }) => {
  const source = await sourceOf(desk, "Bank", "bank_statement");
  const terminal = new Terminal(desk.cli, desk.folder);
  const { ended } = terminal.type("import", "bank-april.csv", "--source", "Bank", "--wait");
  await terminal.shows("Which is it?");
  await picture(browser, "question", terminal);
  terminal.press("\r");
  await terminal.shows("Save these answers with the source?");
  terminal.press("y");
  expect((await ended).code).toBe(0);
  expect(await terminal.text()).toMatch(/New lines +2\n/);
  await picture(browser, "import", terminal);
  const { mapping } = await desk.tieout.sources.get(source);
  expect(mapping).toMatchObject({ date_format: expect.stringMatching(/^(DD|MM)/) });
});

test("a period is matched and closed at a terminal", async ({ desk, browser }) => {
  const period = await desk.tieout.reconciliations.create({
    name: "Bank, April 2026",
    period_start: "2026-04-01",
    period_end: "2026-04-30",
    left_source_id: await sourceOf(desk, "Bank", "bank_statement"),
    right_source_id: await sourceOf(desk, "Ledger", "ledger"),
    auto_run: false,
  });
  const inFolder = (name: string) => join(desk.folder, name);
  const bank = ["import", inFolder("bank-april.csv"), "--source", "Bank"];
  await desk.cli.json(...bank, "--answer", "date_format=DD/MM/YYYY", "--wait");
  await desk.cli.json("import", inFolder("ledger-april.csv"), "--source", "Ledger", "--wait");
  const terminal = new Terminal(desk.cli, desk.folder);
  await terminal.run("run", period?.id ?? "", "--wait");
  await terminal.run("close", period?.id ?? "", "--wait");
  expect(await terminal.text()).toMatch(/Bank, April 2026 is closed at \S+Z$/);
  await picture(browser, "close", terminal);
});
