import type { Lines } from "../lines.ts";

const CHARGE =
  /\b(fees?|charges?|interest|entgelte?|zinsen|geb(ü|ue)hr(en)?|frais|agios|int(é|e)r(ê|e)ts|commissioni?|interessi)\b/i;

/** Whether a line says that it is a bank's fee or interest. */
export function isCharge(lines: Lines, line: number): boolean {
  return CHARGE.test(lines.text(line, "description") ?? "");
}
