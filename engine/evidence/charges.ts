import type { Lines } from "../lines.ts";

const CHARGE =
  /(?<!\p{L})(fees?|charges?|interest|\p{L}*entgelte?|\p{L}*zinsen|zins(en|ertr(ä|ae)ge?|ertrag|aufwand)?|\p{L}*geb(ü|ue)hr(en)?|frais|agios|int(é|e)r(ê|e)ts|commissioni?|interessi)(?!\p{L})/iu;

/** Whether a line says that it is a bank's fee or interest. */
export function isCharge(lines: Lines, line: number): boolean {
  return CHARGE.test(lines.text(line, "description") ?? "");
}
