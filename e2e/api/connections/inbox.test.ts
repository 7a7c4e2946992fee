import { createTransport, type SendMailOptions } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dnsOf, signatureOf } from "#e2e/bank-mail.ts";
import { stack } from "#e2e/fixtures.ts";
import { WHOLE } from "#e2e/gate.ts";
import { InboxServer } from "../../../worker/inbox/inbox.ts";
import { ConnectedTenant, csv } from "./connected-tenant.ts";

const BANK = "statements@bank.example";
const DAY = csv("2026-11-05,12.50,A", "2026-11-05,-3.00,B");
const SETTINGS = { kind: "mail", allowed_senders: ["@bank.example"], file_glob: "*.csv" };

let tenant: ConnectedTenant;
let inbox: InboxServer;
beforeAll(async () => {
  tenant = await ConnectedTenant.create();
  inbox = new InboxServer({
    connectionString: stack.databaseUrl,
    port: 0,
    domain: "files.tieout.example",
    resolver: dnsOf(),
  });
});
afterAll(() => inbox.stop());

/** Sends as the bank. @returns the server's answer */
async function send(to: string, mail: SendMailOptions, signedBy = "bank.example"): Promise<string> {
  const transport = createTransport({ host: "127.0.0.1", port: inbox.port, ignoreTLS: true });
  try {
    const { response } = await transport.sendMail({
      from: BANK,
      to,
      subject: "Statement",
      text: "Attached.",
      dkim: signatureOf(signedBy),
      ...mail,
    });
    return response;
  } catch (error) {
    return (error as { response?: string }).response ?? String(error);
  } finally {
    transport.close();
  }
}

const attached = (filename: string, content: string) => ({ attachments: [{ filename, content }] });

test("a mail's attachments are imported once each, with how their sender was verified", async () => {
  const connection = await tenant.connect(SETTINGS);
  const { id, address } = connection;
  expect(address).toMatch(/^files-[0-9a-f]{20}@files\.tieout\.example$/);
  const both = {
    attachments: [
      { filename: "day.csv", content: DAY },
      { filename: "terms.pdf", content: "nothing" },
    ],
  };
  expect(await send(address.toUpperCase(), both)).toMatch(/^250/);
  expect(await tenant.settled(id)).toMatchObject([
    {
      path: "day.csv",
      outcome: "imported",
      line_count: 2,
      sender: BANK,
      sender_checks: { dkim: "bank.example", spf: "none", dmarc: "none" },
    },
  ]);
  expect(await send(address, attached("again.csv", DAY))).toMatch(/^250/);
  expect((await tenant.settled(id)).map(({ outcome }) => outcome)).toEqual([
    "imported",
    "duplicate",
  ]);
  expect(await tenant.lineCount(connection)).toBe(2);
});

test("a mail is refused if its sender isn't allowed or verified, to an unknown address, and while paused", async () => {
  const { id, address } = await tenant.connect(SETTINGS);
  const mail = attached("day.csv", csv("2026-11-06,1.00,C"));
  expect(await send(address, { ...mail, from: "eve@evil.example" }, "evil.example")).toMatch(
    /^550 .*takes no mail from this sender/,
  );
  expect(await send(address, mail, "evil.example")).toMatch(/^550 .*Neither DKIM nor SPF/);
  expect(await send("files-0@files.tieout.example", mail)).toMatch(/^550 .*no such address/);
  await tenant.ok("PATCH", `connections/${id}`, { status: "paused" });
  expect(await send(address, mail)).toMatch(/^550 .*no such address/);
  expect(await tenant.files(id)).toEqual([]);
});

test("a file that can't be imported is listed with the reason, and its name is never a path", async () => {
  const { id, address } = await tenant.connect({ ...SETTINGS, file_glob: "*" });
  const mail = attached("../../etc/passwd", "Datum;Betrag\n1.1.;5\n");
  expect(await send(address, mail)).toMatch(/^250/);
  const [file] = await tenant.settled(id);
  expect(file).toMatchObject({ outcome: "failed", sender: BANK });
  expect(file?.path).not.toContain("/");
  expect(await tenant.get(id)).toMatchObject({ last_outcome: "failed" });
});

test.runIf(WHOLE)(
  "mails that arrive at the same time are all accepted, immediately or when sent again",
  async () => {
    const connection = await tenant.connect(SETTINGS);
    const waiting = new Map(
      Array.from({ length: 6 }, (_, day) => [
        `day-${day}.csv`,
        csv(`2026-11-0${day + 1},${day + 1}.00,${day}`),
      ]),
    );
    while (waiting.size > 0)
      await Promise.all(
        [...waiting].map(async ([name, content]) => {
          const response = await send(connection.address, attached(name, content));
          if (response.startsWith("250")) waiting.delete(name);
          else expect(response).toMatch(/^451/);
        }),
      );
    await tenant.settled(connection.id);
    expect(await tenant.lineCount(connection)).toBe(6);
  },
);

test("a mail connection needs senders, keeps its address, and can't be fetched", async () => {
  const { id: source_id } = await tenant.source();
  const create = (body: object) => tenant.call("POST", "connections", { source_id, ...body });
  expect((await create({ kind: "mail" })).status).toBe(400);
  expect((await create({ ...SETTINGS, address: "a@files.tieout.example" })).status).toBe(400);
  expect((await create({ ...SETTINGS, afterwards: "delete" })).status).toBe(400);
  expect((await create({ kind: "sftp" })).status).toBe(400);
  const { id } = await tenant.connect(SETTINGS);
  const patch = { address: "other@files.tieout.example" };
  expect((await tenant.call("PATCH", `connections/${id}`, patch)).status).toBe(400);
  const fetch = await tenant.call("POST", `connections/${id}/fetch`);
  expect([fetch.status, (fetch.json as { reason: string }).reason]).toEqual([409, "not_fetched"]);
});
