import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { api, createTenant, sql, stack, uniqueName, userToken } from "#e2e/fixtures.ts";
import type { Evidence } from "#lib/evidence/contract.ts";
import type { RuleSet } from "#lib/matching/rules/contract.ts";
import type { Checklist } from "#lib/matching/sign-off/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { Fixture, line } from "../matching/matching-fixture.ts";

const PDF = Buffer.concat([
  Buffer.from("%PDF-1.7\n"),
  // Longer than one part of a download, with parts that differ.
  Buffer.from(Array.from({ length: 1_000_000 }, (_, n) => (n * 31 + (n >> 8)) % 256)),
]);

let fixture: Fixture;
let lines: [left: string, right: string];
let exception: string;
beforeAll(async () => {
  fixture = await Fixture.create();
  const [left = ""] = await fixture.add("left", [line("a", 10_000)]);
  const [right = ""] = await fixture.add("right", [line("b", 9000)]);
  lines = [left, right];
  exception = (
    await fixture.ok<{ id: string }>("POST", "exceptions", {
      body: { title: "Fee without a note", severity: "low", reconciliation_id: fixture.period },
    })
  ).id;
});

type Options = {
  subject?: string;
  name?: string;
  type?: string;
  bearer?: string;
  supersedes?: string;
  key?: string;
  of?: Fixture;
};

function add(
  content: string | Buffer,
  { subject, name = "note.txt", type, bearer, supersedes, key, of = fixture }: Options = {},
) {
  return api("POST", "/v1/evidence", {
    bearer: bearer ?? of.admin,
    tenant: of.tenant,
    query: {
      subject_id: subject ?? of.period,
      file_name: name,
      ...(supersedes && { supersedes }),
    },
    body: content,
    headers: {
      "Content-Type": type ?? "application/octet-stream",
      ...(key && { "Idempotency-Key": key }),
    },
  });
}

async function added(content: string | Buffer, options: Options = {}): Promise<Evidence> {
  const answer = await add(content, options);
  expect(answer.status, answer.text).toBe(201);
  return answer.json as Evidence;
}

const list = async (subject: string, of = fixture) =>
  (await of.ok<{ items: Evidence[] }>("GET", "evidence", { query: { subject_id: subject } })).items;
const remove = (id: string, of = fixture, reason = "Wrong invoice") =>
  of.call("DELETE", `evidence/${id}`, { body: { reason } });
const key = async (scopes: string[]) => {
  const { key_id, key_secret } = await fixture.ok<{ key_id: string; key_secret: string }>(
    "POST",
    `tenants/${fixture.tenant}/api-keys`,
    { body: { name: uniqueName("Key"), scopes } },
  );
  return `${key_id}.${key_secret}`;
};

describe("a file of evidence", () => {
  test("is returned byte for byte, as a download that no browser runs", async () => {
    const { id, ...file } = await added(PDF, { name: "Gebühr „Oktober“.pdf", type: "text/plain" });
    const sha256 = createHash("sha256").update(PDF).digest("hex");
    expect(file).toMatchObject({
      subject_type: "reconciliation",
      subject_id: fixture.period,
      file_name: "Gebühr „Oktober“.pdf",
      media_type: "application/pdf",
      bytes: PDF.length,
      sha256,
      is_signed: false,
      created_by: "user:ada",
    });
    expect(await list(fixture.period)).toMatchObject([{ id, sha256 }]);

    const { status, headers, bytes } = await fixture.call("GET", `evidence/${id}/content`);
    expect(status).toBe(200);
    expect(Buffer.compare(bytes, PDF)).toBe(0);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition":
        "attachment; filename=\"Geb_hr _Oktober_.pdf\"; filename*=UTF-8''Geb%C3%BChr%20%E2%80%9EOktober%E2%80%9C.pdf",
      "content-security-policy": expect.stringContaining("sandbox"),
      "x-content-type-options": "nosniff",
    });
  });

  test.each(["exception", "match", "line", "reconciliation"] as const)(
    "is stored with its %s, which the audit log records",
    async (kind) => {
      const { id: match } = await matched();
      const subject = { exception, match, line: lines[1], reconciliation: fixture.period }[kind];
      const { id, sha256 } = await added(`Approved: ${kind}`, { subject });
      expect((await list(subject))[0]).toMatchObject({ id, subject_type: kind });
      const [event] = await events("evidence.added", subject);
      expect(event?.details).toMatchObject({
        evidence_id: id,
        sha256,
        file_name: "note.txt",
        subject_type: kind,
      });
    },
  );

  test("that could run in a browser is refused, and not stored", async () => {
    const before = await list(fixture.period);
    for (const content of [
      "<!doctype html><script>alert(1)</script>",
      '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
      "\u0000\u0001binary",
      "",
    ]) {
      const answer = await add(content, { name: "note.txt", type: "text/plain" });
      expect([answer.status, answer.text], content).toEqual([
        400,
        expect.stringMatching(/Evidence is a PDF|file is empty|body is required/),
      ]);
    }
    expect(await list(fixture.period)).toEqual(before);
    const { file_name } = await added("Plain text.", { name: "page.html" });
    expect(file_name).toBe("page.html.txt");
  });

  test("is never visible to another tenant", async () => {
    const { id } = await added("Private.");
    const other = await createTenant();
    const stranger = { bearer: await userToken(other, ["tenant_admin"]), tenant: other };
    for (const path of [`evidence/${id}`, `evidence/${id}/content`]) {
      const { status, text } = await api("GET", `/v1/${path}`, stranger);
      const unknown = path.replace(id, `${id.slice(0, -4)}0000`);
      const { text: none } = await api("GET", `/v1/${unknown}`, stranger);
      expect([status, withoutId(text)]).toEqual([404, withoutId(none)]);
    }
    const query = { subject_id: fixture.period, file_name: "x.txt" };
    const foreign = await api("POST", "/v1/evidence", {
      ...stranger,
      query,
      body: "x",
      headers: { "Content-Type": "text/plain" },
    });
    expect(foreign.status).toBe(404);
  });

  test("of more than 10 MiB is refused", async () => {
    const { status } = await add(Buffer.alloc(10 * 1024 ** 2 + 1, "a"));
    expect(status).toBe(413);
  });

  test("sent again under its key is one file, and another file under that key is refused", async () => {
    const sent = uniqueName("key");
    const { id } = await added("Once.", { key: sent });
    expect((await added("Once.", { key: sent })).id).toBe(id);
    expect((await add("Twice.", { key: sent })).status).toBe(422);
    const [row] = await sql<{ n: number }>(
      `select count(*)::integer as n from private.evidence_contents c
       where c.tenant_id = $1 and c.evidence_id not in (select id from evidence)`,
      [fixture.tenant],
    );
    expect(row?.n).toBe(0);
  });
});

describe("permissions", () => {
  test("an auditor can read evidence, but not add or remove it", async () => {
    const auditor = await fixture.as(["tenant_auditor"], "aud");
    const { id } = await added("For the auditor.");
    const content = await fixture.call("GET", `evidence/${id}/content`, { bearer: auditor });
    expect([content.status, content.text]).toEqual([200, "For the auditor."]);
    expect((await add("Mine.", { bearer: auditor })).status).toBe(403);
    const removal = { bearer: auditor, body: { reason: "No" } };
    expect((await fixture.call("DELETE", `evidence/${id}`, removal)).status).toBe(403);
  });

  test("a key reads and adds only within its scopes", async () => {
    const reading = await key(["read:reconciliations"]);
    const writing = await key(["write:reconciliations"]);
    const exceptions = await key(["read:exceptions", "write:exceptions"]);
    const both = await key(["write:reconciliations", "write:exceptions"]);
    const { id } = await added("Scoped.", { subject: exception });
    const status = async (bearer: string, path: string) =>
      (await fixture.call("GET", path, { bearer })).status;
    expect(await status(reading, `evidence?subject_id=${fixture.period}`)).toBe(200);
    expect(await status(reading, `evidence/${id}`)).toBe(404);
    expect(await status(exceptions, `evidence?subject_id=${exception}`)).toBe(403);
    expect((await add("No.", { bearer: reading })).status).toBe(403);
    expect((await add("Yes.", { bearer: writing })).status).toBe(201);
    expect((await add("No.", { bearer: writing, subject: exception })).status).toBe(403);
    expect((await add("Yes.", { bearer: both, subject: exception })).status).toBe(201);
  });
});

describe("limits", () => {
  test("a subject can have 50 files", async () => {
    const of = await Fixture.create();
    await written(of, 49, 1);
    await added("The last one.", { of });
    const { status, text } = await add("One more.", { of });
    expect([status, text]).toEqual([409, expect.stringContaining("at most 50 files")]);
  });

  test("evidence is stored up to the tenant's quota", async () => {
    const of = await Fixture.create();
    await written(of, 1023, 10 * 1024 ** 2, "exc_");
    await added("a".repeat(1000), { of });
    const [quota = { mib: 0 }] = await sql<{ mib: number }>(
      "select maximum::integer as mib from private.quotas where kind = 'evidence_mib'",
    );
    await written(of, quota.mib / 10 - 1023, 10 * 1024 ** 2, "mat_");
    const { status, text } = await add("One more.", { of });
    expect([status, text]).toEqual([409, expect.stringContaining("QUOTA_EVIDENCE_MIB")]);
  });
});

describe("removing and superseding", () => {
  test("a file is removed with an audited reason, and its content is deleted", async () => {
    const { id, sha256 } = await added("Removed soon.");
    expect((await remove(id)).status).toBe(200);
    expect((await fixture.call("GET", `evidence/${id}`)).status).toBe(404);
    const contents = await sql("select from private.evidence_contents where evidence_id = $1", [
      id,
    ]);
    expect(contents).toHaveLength(0);
    const [event] = await events("evidence.removed", fixture.period);
    expect(event).toMatchObject({
      reason: "Wrong invoice",
      details: { evidence_id: id, sha256 },
    });
  });

  test("removing evidence revokes the signatures of its open period, with the reason", async () => {
    const of = await Fixture.create();
    const { id } = await added("Signed for.", { of });
    await of.ok("POST", `reconciliations/${of.period}/prepare`, { body: {} });
    await remove(id, of);
    const { sign_off } = await of.reconciliation();
    expect(sign_off).toMatchObject({
      state: "open",
      revoked: { reason: "Evidence was removed: note.txt" },
    });
  });

  test("removing a line's evidence, or superseding any, revokes signatures as well", async () => {
    const of = await Fixture.create();
    const [subject = ""] = await of.add("left", [line("a", 10_000)]);
    const ofLine = await added("Signed for.", { of, subject });
    const ofPeriod = await added("First scan.", { of });
    const prepare = () => of.ok("POST", `reconciliations/${of.period}/prepare`, { body: {} });
    await prepare();
    await remove(ofLine.id, of);
    expect((await of.reconciliation()).sign_off).toMatchObject({
      state: "open",
      revoked: { reason: "Evidence was removed: note.txt" },
    });
    await prepare();
    await added("More.", { of });
    expect((await of.reconciliation()).sign_off).toMatchObject({ state: "prepared" });
    await added("Better scan.", { of, supersedes: ofPeriod.id });
    expect((await of.reconciliation()).sign_off).toMatchObject({
      state: "open",
      revoked: { reason: "Evidence was superseded by note.txt" },
    });
  });

  test("evidence of a signed statement stays after a reopening, and can be superseded", async () => {
    const of = await Fixture.create();
    const before = await added("First scan.", { of });
    await of.ok("POST", `reconciliations/${of.period}/close`);
    expect((await remove(before.id, of)).json).toMatchObject({ reason: "evidence_signed" });
    await of.ok("POST", `reconciliations/${of.period}/reopen`, { body: { reason: "A page" } });
    expect((await remove(before.id, of)).json).toMatchObject({ reason: "evidence_signed" });

    const after = await added("Better scan.", { of, supersedes: before.id });
    expect(await list(of.period, of)).toMatchObject([
      { id: after.id, supersedes: before.id, is_signed: false },
      { id: before.id, superseded_by: after.id, is_signed: true },
    ]);
    const twice = await add("Third scan.", { of, supersedes: before.id });
    expect(twice.json).toMatchObject({ reason: "already_superseded" });
    expect((await remove(after.id, of)).status).toBe(200);
    expect((await list(of.period, of))[0]).toMatchObject({ id: before.id, superseded_by: null });
  });
});

describe("evidence that the policy requires", () => {
  test("shows in the checklist, and blocks the close until it is added", async () => {
    const of = await Fixture.create();
    const [left] = await of.add("left", [line("a", 10_000)]);
    const [right] = await of.add("right", [line("b", 9000)]);
    const rules = `reconciliations/${of.period}/rules`;
    const { checks } = await of.ok<RuleSet>("GET", rules);
    await of.ok("PUT", rules, {
      body: {
        rules: [{ name: "Same reference", kind: "exact", on: ["reference"], then: "match" }],
        checks: { ...checks, evidence: "block" },
        evidence_from_minor: 1000,
      },
    });
    const { id: match } = await of.ok<{ id: string }>(
      "POST",
      `reconciliations/${of.period}/matches`,
      {
        body: {
          line_ids: [left, right],
          adjustments: [{ kind: "write_off", amount_minor: 1000, note: "Below the limit" }],
        },
      },
    );
    expect(await evidenceCheck(of)).toEqual({
      check: "evidence",
      outcome: "block",
      count: 1,
      detail: "1 adjusted match has no evidence.",
    });
    expect(await withoutEvidence(of)).toEqual([match]);
    const close = await of.call("POST", `reconciliations/${of.period}/close`);
    expect(close.json).toMatchObject({ code: "conflict", reason: "checklist_incomplete" });

    await added("Approved by Eva.", { of, subject: match });
    expect(await evidenceCheck(of)).toMatchObject({ outcome: "pass", count: 0 });
    expect(await withoutEvidence(of)).toEqual([]);
    const key = await of.ok<{ key_id: string; key_secret: string }>(
      "POST",
      `tenants/${of.tenant}/api-keys`,
      {
        body: { name: "Closes", scopes: ["read:reconciliations"] },
      },
    );
    const bearer = `${key.key_id}.${key.key_secret}`;
    expect(await withoutEvidence(of, bearer)).toEqual([]);
    expect(await evidenceCheck(of, bearer)).toMatchObject({ outcome: "pass" });
    await of.ok<Reconciliation>("POST", `reconciliations/${of.period}/close`);
  });
});

/** The matches that lack required evidence. */
async function withoutEvidence(of: Fixture, bearer?: string) {
  const path = `reconciliations/${of.period}/matches`;
  const { items } = await of.ok<{ items: { id: string }[] }>("GET", path, {
    query: { missing_evidence: "true" },
    bearer,
  });
  return items.map(({ id }) => id);
}

async function evidenceCheck(of: Fixture, bearer?: string) {
  const path = `reconciliations/${of.period}/checklist`;
  const { items } = await of.ok<Checklist>("GET", path, { bearer });
  return items.find(({ check }) => check === "evidence");
}

let madeMatch: Promise<{ id: string }> | undefined;
function matched(): Promise<{ id: string }> {
  madeMatch ??= fixture.ok("POST", `reconciliations/${fixture.period}/matches`, {
    body: {
      line_ids: lines,
      adjustments: [{ kind: "other", amount_minor: 1000, note: "Rounded" }],
    },
  });
  return madeMatch;
}

const withoutId = (text: string) => text.replace(/"request_id":"[^"]*"|"instance":"[^"]*"/g, "");

async function events(type: string, target: string) {
  const { items } = await fixture.ok<{
    items: { reason: string | null; details: Record<string, unknown> }[];
  }>("GET", "security-events", { query: { type, target } });
  return items;
}

/** Files without content, as many and as large as needed to fill the quota. */
async function written(of: Fixture, count: number, bytes: number, subject?: string) {
  await sql(
    `insert into evidence (tenant_id, subject_type, subject_id, file_name, media_type, bytes,
       sha256, created_by)
     select $1, 'reconciliation', coalesce($4 || i, $2), 'x', 'text/plain', $5, repeat('0', 64),
       'user:ada'
     from generate_series(1, $3::integer) i`,
    [of.tenant, of.period, count, subject ?? null, bytes],
  );
}

test("the publishable key can't see evidence", async () => {
  const { status } = await api("GET", "/v1/evidence", {
    bearer: stack.publishableKey,
    tenant: fixture.tenant,
    query: { subject_id: fixture.period },
  });
  expect(status).toBe(403);
});
