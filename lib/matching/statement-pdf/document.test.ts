import { expect, test } from "vitest";
import type { Statement } from "../periods/contract.ts";
import { documentOf } from "./document.ts";
import { writePdf } from "./write-pdf.ts";

const DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

const statement = {
  reconciliation_id: "rcn_1",
  name: "Debtors, November 2026",
  period_start: "2026-11-01",
  period_end: "2026-11-30",
  left_source: "Τράπεζα",
  right_source: "Журнал",
  as_of: "2026-12-01T10:00:00.000Z",
  closed_at: null,
  closed_by: null,
  balances: [],
  differences: [
    { currency: "EUR", adjustments_minor: -250, residual_minor: 0, difference_minor: 0 },
  ],
  aging: [{ currency: "EUR", side: "left", days_from: 31, line_count: 1, open_minor: 485_000 }],
  outstanding_count: 1,
  outstanding: [
    {
      line_id: "lin_1",
      side: "left",
      value_date: "2026-10-05",
      age_days: 56,
      currency: "EUR",
      open_minor: "900719925474099312",
      reference: "RG-4711",
      counterparty: "Kunde 17 GmbH",
      description: null,
    },
  ],
  adjustments: [
    {
      match_id: "mat_1",
      currency: "EUR",
      kind: "fee",
      amount_minor: -250,
      note: "Card fee",
      decided_by: "user:ada",
    },
  ],
  exclusions: [],
  residuals: [],
  proof: { items: [], holds: true },
} as unknown as Statement;

const closed: Statement = {
  ...statement,
  closed_at: "2026-12-03T14:02:00.000Z",
  closed_by: "user:leo",
};

test("an open period's document says that it is not closed, on each page too", () => {
  const document = documentOf({ statement, signatures: [], digest: null });
  const content = JSON.stringify(document.content);
  expect(content).toContain("Not closed, as of 2026-12-01 10:00 UTC");
  expect(footerOf(document)).toContain("Not closed");
  expect(footerOf(document)).toContain("Page 2 of 3");
});

test("a closed period's document names its signers, with the digest on each page", () => {
  const signature = {
    kind: "prepared",
    level: 0,
    signed_by: "user:lea",
    issuer: "",
    subject: "",
    signed_at: "2026-12-02T09:00:00.000Z",
    digest: DIGEST,
    note: "Fees agree",
  } as const;
  const document = documentOf({ statement: closed, signatures: [signature], digest: DIGEST });
  const content = JSON.stringify(document.content);
  expect(content).toContain("Closed 2026-12-03 14:02 UTC by leo");
  expect(content).toContain("Prepared 2026-12-02 09:00 UTC by lea: Fees agree");
  expect(footerOf(document)).toContain(DIGEST);
});

test("the document has every part that has items, with exact amounts beyond 2^53", () => {
  const content = JSON.stringify(documentOf({ statement, signatures: [], digest: null }).content);
  for (const part of [
    "Reconciliation of balances",
    "Open items",
    "Outstanding by age",
    "31–60 days",
    "RG-4711 · Kunde 17 GmbH",
    "Fee: Card fee",
  ])
    expect(content).toContain(part);
  expect(content.replaceAll("\u00a0", " ")).toContain("EUR 9,007,199,254,740,993.12");
  expect(content).not.toContain("Excluded lines");
});

test("the document separates outstanding receipts and payments by their usual names", () => {
  const [aged] = statement.aging;
  const content = (of: Statement) =>
    JSON.stringify(documentOf({ statement: of, signatures: [], digest: null }).content).replaceAll(
      "\u00a0",
      " ",
    );
  const kinds = { receipt_count: 1, receipt_minor: 500_000, payment_count: 1 };
  const stated = {
    ...statement,
    left_kind: "ledger",
    right_kind: "bank_statement",
    aging: [{ ...aged, ...kinds, payment_minor: -15_000 }],
  } as Statement;
  for (const text of [
    "Less outstanding receipts",
    "Deposits in transit",
    "-EUR 5,000.00",
    "Less outstanding payments",
    "Outstanding payments",
    "EUR 150.00",
    "Receipts not in Τράπεζα",
  ])
    expect(content(stated)).toContain(text);
  expect(content(statement)).toContain('"Less outstanding"');
});

test("a signed statement's document counts the files of evidence under their hash", () => {
  const signed = { ...statement, evidence: { count: 3, sha256: DIGEST } };
  const content = (of: Statement) =>
    JSON.stringify(documentOf({ statement: of, signatures: [], digest: DIGEST }).content);
  expect(content(signed)).toContain(`3 files, SHA-256 ${DIGEST}`);
  expect(content(statement)).not.toContain("Evidence");
});

test("a document with letters that its font lacks says where they can be read", () => {
  const hint = "only Latin, Greek and Cyrillic letters";
  const content = (of: Statement) =>
    JSON.stringify(documentOf({ statement: of, signatures: [], digest: null }).content);
  expect(content(statement)).not.toContain(hint);
  for (const name of ["三井住友銀行", "بنك القاهرة", "בנק לאומי"])
    expect(content({ ...statement, left_source: name }), name).toContain(hint);
});

test("a PDF is written with Greek and Cyrillic names", async () => {
  const pdf = await writePdf({ statement, signatures: [], digest: null });
  expect(new TextDecoder().decode(pdf.subarray(0, 5))).toBe("%PDF-");
});

function footerOf({ footer }: ReturnType<typeof documentOf>): string {
  return JSON.stringify(typeof footer === "function" ? footer(2, 3, {} as never) : footer);
}
