import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { downloadZip } from "client-zip";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { api, sql } from "#e2e/fixtures.ts";
import { openZip, readEntry } from "#lib/imports/formats/files/zip.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 300_000;
const VERIFIER = join(import.meta.dirname, "../../../lib/matching/bundles/verify.mjs");

const EVIDENCE = "The bank raised its fee in October.";

type Files = Record<string, string>;

let folder: string;
let fixture: Fixture;
let files: Files;

/** Runs the verifier as an auditor does, in a folder without the product. */
function verify(bundle: Uint8Array, ...args: string[]): { code: number | null; output: string } {
  const path = join(folder, "bundle.zip");
  writeFileSync(path, bundle);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, "verify.mjs"), path, ...args],
    { cwd: folder, encoding: "utf8" },
  );
  return { code: status, output: stdout + stderr };
}

/** A zip of these files with a manifest that matches them, as a forger would write it. */
async function zipOf(changed: Files): Promise<Uint8Array> {
  const listed = JSON.parse(changed["manifest.json"] ?? "") as Record<string, object>;
  const manifest = Object.fromEntries(
    Object.keys(listed).map((name) => {
      const content = Buffer.from(changed[name] ?? "");
      const sha256 = createHash("sha256").update(content).digest("hex");
      return [name, { bytes: content.length, sha256 }];
    }),
  );
  const written = { ...changed, "manifest.json": JSON.stringify(manifest) };
  const entries = Object.entries(written).map(([name, input]) => ({ name, input }));
  return new Uint8Array(await downloadZip(entries).arrayBuffer());
}

async function unzip(bytes: Uint8Array): Promise<Files> {
  const zip = await openZip(Buffer.from(bytes), "bundle.zip");
  const found: Files = {};
  for (const [name, entry] of zip.entries) {
    const chunks: Buffer[] = [];
    for await (const chunk of readEntry(zip, entry, 1e8)) chunks.push(chunk);
    found[name] = Buffer.concat(chunks).toString("utf8");
  }
  return found;
}

async function bundle(number: number): Promise<Uint8Array> {
  const path = `reconciliations/${fixture.period}/statements/${number}/bundle`;
  const answer = await fixture.call("GET", path);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/zip");
  return answer.bytes;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "bundle-"));
  writeFileSync(join(folder, "verify.mjs"), readFileSync(VERIFIER));
  fixture = await Fixture.create();
  const period = `reconciliations/${fixture.period}`;
  const [left, excluded] = await fixture.add("left", [
    { ...line("a", 1234), counterparty: 'Kunde "17", GmbH \\ Co' },
    line("b", 77),
  ]);
  const [right] = await fixture.add("right", [line("c", 1230), line("d", 999)]);
  await fixture.ok("POST", `${period}/matches`, {
    body: {
      line_ids: [left, right],
      adjustments: [{ kind: "fee", amount_minor: 4, note: 'Fee, "October"' }],
    },
  });
  await fixture.ok("POST", `lines/${excluded}/exclude`, { body: { reason: 'Not "ours", (b)' } });
  await api("POST", "/v1/evidence", {
    bearer: fixture.admin,
    tenant: fixture.tenant,
    query: { subject_id: fixture.period, file_name: 'Fee, "October".txt' },
    body: EVIDENCE,
    headers: { "Content-Type": "text/plain" },
  });
  await fixture.ok("PUT", `${period}/entry-rules`, {
    body: { rules: { fee: { account: "4970", counter_account: "1200", text: 'Fee, "{note}"' } } },
  });
  await fixture.ok("POST", `${period}/prepare`, {
    body: {},
    bearer: await fixture.as(["tenant_lead"], "leo"),
  });
  await fixture.ok("POST", `${period}/close`);
  files = await unzip(await bundle(1));
}, SLOW);
afterAll(() => rmSync(folder, { recursive: true }));

describe("the bundle of a signed statement", () => {
  test("is verified offline, by a file without dependencies", async () => {
    const { code, output } = verify(await bundle(1));
    expect(output).toContain("Everything agrees: statement 1");
    expect(output).toContain("EUR left: lines = matched + excluded + open");
    expect(output).toContain("1 file of evidence as the statement lists them");
    expect(output).toContain("1 entry for the ledger as the statement lists them");
    // The bundle was requested right after the close, before the audit log was signed.
    expect(output).toContain("The audit log records this close with this digest");
    const sha256 = createHash("sha256").update(EVIDENCE).digest("hex");
    expect(output).toContain(`${sha256}  Fee, "October".txt`);
    expect(code).toBe(0);
    expect(files["verify.mjs"]).toBe(readFileSync(VERIFIER, "utf8"));
  });

  test("is verified with the key that its reader got from elsewhere", async () => {
    const { public_keys: keys } = JSON.parse(files["audit.json"] ?? "") as {
      public_keys: string[];
    };
    const original = await bundle(1);
    expect(verify(original, "--key", keys[0] ?? "").code).toBe(0);
    const other = Buffer.alloc(32, 7).toString("base64");
    expect(verify(original, "--key", other)).toMatchObject({
      code: 1,
      output: expect.stringContaining("not by that key"),
    });
  });

  test.each<[string, string, (bundled: Files) => Files]>([
    ["an amount of the statement", "digest", (f) => edited(f, "statement.json", "1234", "1235")],
    ["a match left out", "digest", (f) => ({ ...f, "matches.ndjson": "" })],
    ["a member with another amount", "add up", (f) => edited(f, "members.ndjson", "1230", "1231")],
    ["a member left out", "as counted", (f) => ({ ...f, "members.ndjson": "" })],
    ["an exclusion left out", "excluded", (f) => ({ ...f, "exclusions.ndjson": "" })],
    ["an open line with another amount", "open", (f) => edited(f, "carried.ndjson", "999", "99")],
    ["an entry to another account", "ledger", (f) => edited(f, "entries.ndjson", "4970", "6800")],
    ["evidence left out", "evidence", (f) => ({ ...f, "evidence.ndjson": "" })],
    [
      "another digest under the signature",
      "digest",
      (f) => edited(f, "signature.json", /(?<="digest": ")./, "x"),
    ],
    [
      "an event of the audit log with another actor",
      "is unbroken",
      (f) => edited(f, "audit.ndjson", "user:ada", "user:eve"),
    ],
    [
      "a signature that is another's",
      "signed",
      (f) => edited(f, "audit.json", /"signature": "../g, '"signature": "AA'),
    ],
    ["the audit log cut", "checkpoint", (f) => ({ ...f, "audit.ndjson": "" })],
    [
      "another person as its closer",
      "names who closed it",
      (f) => edited(f, "signature.json", '"closed_by": "user:ada"', '"closed_by": "user:eve"'),
    ],
    [
      "another preparer",
      "signers",
      (f) => edited(f, "signature.json", '"signed_by": "user:leo"', '"signed_by": "user:eve"'),
    ],
    [
      "its signers left out",
      "signers",
      (f) => edited(f, "signature.json", /"signatures": \[[^\]]*\]/, '"signatures": []'),
    ],
    ["a file that is missing", "missing", ({ "carried.ndjson": _, ...rest }) => rest],
    ["a file that was added", "added", (f) => ({ ...f, "note.txt": "Paid." })],
    ["a file named as every object's part", "added", (f) => ({ ...f, constructor: "Paid." })],
  ])("with %s is detected as broken", async (_what, word, change) => {
    const { code, output } = verify(await zipOf(change(files)));
    expect(code, output).toBe(1);
    expect(output).toMatch(new RegExp(`✗ .*${word}`));
  });

  test("with two files of one name is not read, because readers differ in which they show", async () => {
    const entries = Object.entries(files).map(([name, input]) => ({ name, input }));
    const twice = [{ name: "statement.json", input: '{"name":"Forged"}' }, ...entries];
    const zip = new Uint8Array(await downloadZip(twice).arrayBuffer());
    expect(verify(zip)).toMatchObject({ code: 2, output: expect.stringContaining("twice") });
  });

  test("can't rewrite what the terminal shows", async () => {
    const forged = edited(files, "evidence.ndjson", "Fee, ", "\\u001b[2J\\u202e\\n✓ Fee, ");
    const { code, output } = verify(await zipOf(forged));
    expect(code).toBe(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be printed.
    expect(output).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(output).not.toMatch(/^✓ Fee/m);
  });

  test("of a statement from before outstanding items had kinds is whole, and its PDF is written", async () => {
    const of = await Fixture.create();
    await of.add("left", [line("a", 500), line("b", -200), line("c", 300, { currency: "USD" })]);
    await of.ok("POST", `reconciliations/${of.period}/close`);
    await sql(
      `with older as (
         select reconciliation_id, statement - '{left_kind,right_kind}'::text[]
           || jsonb_build_object('aging', (
             select jsonb_agg(age - '{receipt_count,receipt_minor,payment_count,payment_minor}'::text[])
             from jsonb_array_elements(statement -> 'aging') age)) as statement
         from public.closings where tenant_id = $1
       ), closed as (
         update public.closings c set statement = older.statement from older where c.tenant_id = $1
           and c.reconciliation_id = older.reconciliation_id
       )
       update public.statements s set statement = older.statement from older where s.tenant_id = $1
         and s.reconciliation_id = older.reconciliation_id`,
      [of.tenant],
    );
    await sql(
      `with signed as (
         update public.closings set digest = private.closing_digest(tenant_id, reconciliation_id)
         where tenant_id = $1 returning digest
       )
       update public.statements set digest = signed.digest from signed where tenant_id = $1`,
      [of.tenant],
    );
    const path = `reconciliations/${of.period}`;
    for (const read of [
      "statement",
      "statements/1",
      "statement/pdf",
      "statement/export?format=csv",
    ])
      expect((await of.call("GET", `${path}/${read}`)).status, read).toBe(200);
    const { status, bytes } = await of.call("GET", `${path}/statements/1/bundle`);
    expect(status).toBe(200);
    const { "audit.json": _, "audit.ndjson": __, ...older } = await unzip(bytes);
    expect(JSON.parse(older["statement.json"] ?? "").aging[0]).not.toHaveProperty("receipt_count");
    const withoutLog = Object.fromEntries(
      Object.entries(JSON.parse(older["manifest.json"] ?? "") as object).filter(
        ([name]) => name in older,
      ),
    );
    const verified = verify(await zipOf({ ...older, "manifest.json": JSON.stringify(withoutLog) }));
    expect(verified).toMatchObject({
      code: 0,
      output: expect.stringContaining("Everything agrees: statement 1"),
    });
  });

  test("that is cut is not read", async () => {
    const whole = await bundle(1);
    expect(verify(whole.subarray(0, whole.length - 40)).code).toBe(2);
  });

  test(
    "is the same after its period was reopened and closed again",
    async () => {
      const period = `reconciliations/${fixture.period}`;
      await fixture.ok("POST", `${period}/reopen`, { body: { reason: "A page was missing" } });
      await fixture.ok("POST", `${period}/close`);
      const stored = await unzip(await bundle(1));
      for (const name of ["statement", "matches", "members", "exclusions", "carried"]) {
        const file = `${name}.${name === "statement" ? "json" : "ndjson"}`;
        expect(stored[file], file).toBe(files[file]);
      }
      expect(verify(await bundle(1)).code).toBe(0);
    },
    SLOW,
  );
});

/** With a text of a file replaced. @throws Error if the file does not have it */
function edited(bundled: Files, name: string, from: string | RegExp, to: string): Files {
  const before = bundled[name] ?? "";
  const after = before.replace(from, to);
  if (after === before) throw new Error(`${name} has no ${from}.`);
  return { ...bundled, [name]: after };
}
