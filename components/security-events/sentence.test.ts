import { expect, test } from "vitest";
import { PRODUCT } from "#lib/wire/product.ts";
import { ACTIONS } from "./labels.ts";
import { sentenceOf, targetNameIn } from "./sentence.ts";

type More = { actor?: string; target?: string; reason?: string };

const sentenceFor = (
  type: string,
  details: Record<string, unknown>,
  { actor = "user:leo", target, reason }: More = {},
) =>
  sentenceOf({
    type,
    actor,
    home_tenant_id: null,
    details,
    target: target ?? null,
    reason: reason ?? null,
  });

test("a close states the actor, the period and the open amount", () => {
  const details = {
    name: "Debtors, November 2026",
    open_lines: 10,
    open_money: [{ currency: "EUR", open_minor: 485_000 }],
  };
  expect(sentenceFor("reconciliation.closed", details)).toBe(
    "leo closed Debtors, November 2026, 10 lines open (€4,850.00)",
  );
  expect(sentenceFor("reconciliation.closed", { ...details, open_lines: 0, open_money: [] })).toBe(
    "leo closed Debtors, November 2026, nothing open",
  );
});

const period = { reconciliation_id: "rcn_1", reconciliation_name: "Debtors" };

test.each<[string, Record<string, unknown>, More, string]>([
  ["reconciliation.reviewed", { name: "Debtors" }, {}, "leo signed Debtors as reviewed"],
  [
    "reconciliation.updated",
    { name: "Debtors", changes: { name: { from: "October", to: "Debtors" } } },
    {},
    "leo renamed October to Debtors",
  ],
  [
    "reconciliation.updated",
    { name: "Debtors", changes: { status: { from: "open", to: "archived" } } },
    {},
    "leo archived Debtors",
  ],
  [
    "reconciliation.updated",
    { name: "Debtors", changes: { period_end: { from: "2026-10-31", to: "2026-10-30" } } },
    {},
    "leo changed Debtors",
  ],
  ["sandbox.reset", {}, {}, "leo reset the sandbox"],
  ["sandbox.sample_loaded", {}, { target: "rcn_1" }, "leo loaded the sample month"],
  ["import.created", { file_name: "camt.xml" }, {}, "leo imported camt.xml"],
  [
    "import.finished",
    {
      file_name: "camt.xml",
      read_count: 120,
      accepted_count: 116,
      duplicate_count: 3,
      skipped_count: 1,
      refused_count: 0,
    },
    { actor: "system" },
    `${PRODUCT} finished the import of camt.xml: 120 rows read, 116 lines added, 3 duplicates, 1 skipped`,
  ],
  [
    "import.finished",
    { file_name: "a.csv", read_count: 1, accepted_count: 1, refused_count: 2 },
    { actor: "system" },
    `${PRODUCT} finished the import of a.csv: 1 row read, 1 line added, 2 rejected`,
  ],
  [
    "import.failed",
    { file_name: "a.csv", failure: "2 rows can't be read" },
    { actor: "system" },
    `${PRODUCT} couldn't import a.csv: 2 rows can't be read`,
  ],
  ["source.created", { name: "Bank" }, {}, "leo created the source Bank"],
  [
    "api_key.revoked",
    { name: "Nightly job" },
    { reason: "leaked" },
    "leo revoked the key Nightly job (leaked)",
  ],
  [
    "api_key.updated",
    { name: { from: "Nightly", to: "Weekly" }, target_name: "Weekly" },
    {},
    "leo changed the key Weekly",
  ],
  [
    "webhook.disabled",
    { url: "https://hooks.example/a" },
    { actor: "system" },
    `${PRODUCT} disabled the webhook https://hooks.example/a`,
  ],
  [
    "member.invited",
    { email: "nora@acme.example", roles: ["tenant_lead"] },
    {},
    "leo invited nora@acme.example as Lead",
  ],
  [
    "member.role_changed",
    { roles: { from: ["tenant_lead"], to: ["tenant_admin", "tenant_auditor"] } },
    { target: "user:nora" },
    "leo changed the roles of nora to Admin, Auditor",
  ],
  ["member.removed", {}, { target: "user:nora", reason: "Left" }, "leo removed nora (Left)"],
  ["matching.confirmed", { count: 12, ...period }, {}, "leo confirmed 12 suggestions in Debtors"],
  ["matching.rejected", { count: 1, ...period }, {}, "leo rejected 1 suggestion in Debtors"],
  ["matching.undone", { count: 2, ...period }, {}, "leo undid 2 matches in Debtors"],
  [
    "matching.matched",
    { amount_minor: 485_000, currency: "EUR", ...period },
    { target: "mat_1" },
    "leo matched €4,850.00 by hand in Debtors",
  ],
  [
    "matching.written_off",
    { adjustments: [{ kind: "write_off", amount_minor: 1000 }], currency: "EUR", ...period },
    { target: "mat_1", reason: "Below the limit" },
    "leo wrote off €10.00 in Debtors (Below the limit)",
  ],
  [
    "matching.rules_updated",
    { from: {}, to: {}, target_name: "Debtors" },
    { target: "rcn_1" },
    "leo changed the rules of Debtors",
  ],
  [
    "line.excluded",
    { target_name: "RG-2026-4711", reason: "Not ours", ...period },
    { target: "lin_1" },
    "leo excluded RG-2026-4711 from Debtors (Not ours)",
  ],
  [
    "evidence.added",
    { name: "Debtors", file_name: "note.pdf", subject_type: "match" },
    { target: "mat_1" },
    "leo added note.pdf to a match in Debtors",
  ],
  [
    "evidence.removed",
    { name: null, file_name: "note.pdf", subject_type: "line" },
    { target: "lin_1", reason: "Wrong file" },
    "leo removed note.pdf from a line (Wrong file)",
  ],
  [
    "entries.rules_updated",
    { from: {}, to: {}, target_name: "Debtors" },
    { target: "rcn_1" },
    "leo changed the entry rules of Debtors",
  ],
  [
    "entries.exported",
    { name: "2026-0012", reconciliation_id: "rcn_1" },
    { target: "bat_1" },
    "leo marked batch 2026-0012 as exported",
  ],
  [
    "entries.push_requested",
    { name: "2026-0012" },
    { target: "bat_1" },
    "leo asked to push batch 2026-0012",
  ],
  [
    "source.updated",
    { name: "Bank", changes: { mapping: { from: null, to: { amount: "Betrag" } } } },
    { target: "src_1" },
    "leo changed the mapping of Bank",
  ],
  [
    "source.updated",
    { name: "Bank", changes: { sign: { from: "as_is", to: "inverted" } } },
    { target: "src_1" },
    "leo changed the source Bank",
  ],
  ["exceptions.bulk_updated", { count: 12 }, {}, "leo changed 12 exceptions"],
  ["session.signed_in", {}, {}, "leo signed in"],
  ["access.refused", { code: "role_required" }, {}, "leo was refused: missing role"],
])("%s is a sentence with the name of its target", (type, details, more, sentence) => {
  expect(sentenceFor(type, details, more)).toBe(sentence);
});

test.each(Object.keys(ACTIONS))("%s without a name is still a sentence", (type) => {
  expect([sentenceFor(type, {}).replace(/^leo (.)/, (_, first) => first.toUpperCase())]).toEqual([
    ACTIONS[type],
  ]);
});

test.each([
  ["mat_1", { name: null, file_name: "note.pdf", ...period }, "Debtors"],
  ["run_1", period, "Debtors"],
  ["lin_1", { target_name: "RG-4711", ...period }, "RG-4711"],
  ["key_1", { target_name: "Nightly" }, "Nightly"],
  ["run_1", {}, null],
])("the target %s is shown by its name", (target, details, name) => {
  expect(targetNameIn({ details }, target)).toBe(name);
});

test("a call of the service-role key keeps its action", () => {
  expect(sentenceFor("service_role.call", {}, { actor: "service_role", reason: "Case 118" })).toBe(
    "Called with the service-role key",
  );
});
