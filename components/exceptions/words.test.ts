import { expect, test } from "vitest";
import { RISK_WORDS, SEVERITY_WORDS } from "./labels.tsx";

test("a risk is said by the time left, never in a severity's word", () => {
  const severities: string[] = Object.values(SEVERITY_WORDS);
  expect(Object.values(RISK_WORDS).filter((word) => severities.includes(word))).toEqual([]);
  expect([RISK_WORDS.high, RISK_WORDS.medium]).toEqual(["< 1 h", "1–4 h"]);
});
