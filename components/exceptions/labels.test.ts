import { expect, test } from "vitest";
import { RISK_LABELS, SEVERITY_LABELS } from "./labels.tsx";

test("names a risk by the time left, never by a severity's word", () => {
  const severities: string[] = Object.values(SEVERITY_LABELS);
  expect(Object.values(RISK_LABELS).filter((word) => severities.includes(word))).toEqual([]);
  expect([RISK_LABELS.high, RISK_LABELS.medium]).toEqual(["< 1 h", "1–4 h"]);
});
