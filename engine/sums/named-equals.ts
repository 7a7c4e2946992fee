/** Whether the other side has lines with the amount and the name of a line. */
import { containsName } from "../evidence/names-differ.ts";
import type { Lines } from "../lines.ts";
import { ByAmount } from "../prepare/by-amount.ts";

export class NamedEquals {
  private readonly own: Lines;
  private readonly other: Lines;
  private readonly open: Int32Array;
  private byAmount: ByAmount | null = null;

  /** @param open the lines of the other side that are considered. */
  constructor(own: Lines, other: Lines, open: Int32Array) {
    this.own = own;
    this.other = other;
    this.open = open;
  }

  has(target: number, isNear: (line: number) => boolean): boolean {
    this.byAmount ??= new ByAmount(this.other.amount, this.open);
    return this.byAmount.some(
      this.own.amount[target] as number,
      (line) =>
        isNear(line) &&
        (hasWordOfName(this.own, target, this.other, line) ||
          hasWordOfName(this.other, line, this.own, target)),
    );
  }
}

/**
 * Whether a line has any word of the other's counterparty. That is less than a cut name, because
 * even a likely partner keeps a sum from being confirmed.
 */
function hasWordOfName(lines: Lines, line: number, others: Lines, other: number): boolean {
  const name = others.text(other, "counterparty");
  if (name === null) return false;
  const texts = [lines.text(line, "counterparty"), lines.text(line, "description")];
  return texts.some((text) => text !== null && containsName(text, name));
}
