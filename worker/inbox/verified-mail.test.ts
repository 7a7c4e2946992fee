import { describe, expect, test } from "vitest";
import { dnsOf, rawMail } from "#e2e/bank-mail.ts";
import { isAllowed, MailDelay, MailRefusal, verifiedMail } from "./verified-mail.ts";

const BANK = "statements@bank.example";
const MAIL = {
  from: `The bank <${BANK}>`,
  to: "files-1@files.tieout.example",
  subject: "Statement",
  text: "Attached.",
  attachments: [{ filename: "day.csv", content: "Day,Amount\n" }],
};
const envelope = { ip: "192.0.2.7", helo: "mx.bank.example", sender: BANK };
const SPF = { "bank.example": "v=spf1 ip4:192.0.2.7 -all" };
const DMARC = { "_dmarc.bank.example": "v=DMARC1; p=reject" };

const verified = async (signedBy?: string, records?: Record<string, string>, mail = MAIL) =>
  verifiedMail(await rawMail(mail, signedBy), envelope, dnsOf(records));

describe("the sender of a mail", () => {
  test.each<[string, string | undefined, Record<string, string>, object]>([
    ["a signature of its domain", "bank.example", {}, { dkim: "bank.example", spf: "none" }],
    ["the servers of its domain", undefined, SPF, { dkim: null, spf: "pass" }],
    ["both, with a policy", "bank.example", { ...SPF, ...DMARC }, { dmarc: "pass" }],
  ])("is proved by %s", async (_by, signedBy, records, checks) => {
    expect(await verified(signedBy, records)).toMatchObject({ from: BANK, checks });
  });

  test.each<[string, string | undefined, Record<string, string>]>([
    ["nothing", undefined, {}],
    ["a signature of another domain", "evil.example", {}],
    ["a signature of a domain that its name ends with", "ank.example", {}],
    ["a server that its domain doesn't name", undefined, { "bank.example": "v=spf1 -all" }],
    ["a signature of another domain, with a policy", "evil.example", DMARC],
  ])("is not proved by %s", async (_by, signedBy, records) => {
    await expect(verified(signedBy, records)).rejects.toThrow(MailRefusal);
  });

  test("is not proved by a signature of a mail that was changed since", async () => {
    const raw = await rawMail(MAIL, "bank.example");
    const changed = Buffer.from(raw.toString("latin1").replace("Attached.", "Attacked."), "latin1");
    await expect(verifiedMail(changed, envelope, dnsOf())).rejects.toThrow(MailRefusal);
  });

  test.each([
    ["its key", "bank.example", "tests._domainkey.bank.example"],
    ["its servers", undefined, "bank.example"],
    ["its policy", "bank.example", "_dmarc.bank.example"],
  ])("is asked for again later if DNS fails to answer for %s", async (_what, signedBy, silent) => {
    const answered = dnsOf(SPF);
    const resolver = async (name: string, type: string) => {
      if (name === silent) throw Object.assign(new Error("timed out"), { code: "ETIMEOUT" });
      return answered(name, type);
    };
    const elsewhere = { ...envelope, ip: "192.0.2.99" };
    const raw = await rawMail(MAIL, signedBy);
    await expect(verifiedMail(raw, elsewhere, resolver)).rejects.toThrow(MailDelay);
  });

  test("is unknown with two From headers, or without exactly one address", async () => {
    const raw = await rawMail(MAIL, "bank.example");
    const twice = Buffer.concat([Buffer.from("From: eve@evil.example\r\n"), raw]);
    await expect(verifiedMail(twice, envelope, dnsOf())).rejects.toThrow(/exactly one From/);
    const group = { ...MAIL, from: "Banks: a@bank.example, b@bank.example;" };
    await expect(verified("bank.example", {}, group)).rejects.toThrow(MailRefusal);
  });
});

test("allows listed addresses and domains, and no domains that only share the ending", () => {
  expect(isAllowed(BANK, ["@bank.example"])).toBe(true);
  expect(isAllowed(BANK, ["Statements@Bank.example"])).toBe(true);
  expect(isAllowed("a@mybank.example", ["@bank.example"])).toBe(false);
  expect(isAllowed("a@sub.bank.example", ["@bank.example"])).toBe(false);
  expect(isAllowed("a@bank.example", [BANK])).toBe(false);
  expect(isAllowed(BANK, [])).toBe(false);
});
