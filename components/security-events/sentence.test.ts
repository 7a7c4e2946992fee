import { expect, test } from "vitest";
import { sentenceOf } from "./sentence.ts";

const sentenceFor = (type: string, details: Record<string, unknown>, actor = "user:leo") =>
  sentenceOf({ type, actor, home_tenant_id: null, details } as never);

test("a close says who closed what, and what is open", () => {
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

test.each([
  ["reconciliation.reviewed", { name: "Debtors" }, "leo signed Debtors as reviewed"],
  ["import.created", { file_name: "camt.xml" }, "leo imported camt.xml"],
  ["source.created", { name: "Bank" }, "leo created the source Bank"],
])("%s is a sentence with the name of its target", (type, details, sentence) => {
  expect(sentenceFor(type, details)).toBe(sentence);
});

test("an event without a name keeps its action", () => {
  expect(sentenceFor("reconciliation.closed", { digest: "9f86" })).toBe("Closed a period");
  expect(sentenceFor("api_key.created", { name: "Billing" })).toBe("Created an API key");
});
