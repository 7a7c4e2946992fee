import type { ImportLine } from "../line.ts";
import type { LineCollector } from "../line-collector.ts";
import type { Statement } from "../statement.ts";

/** Codes of totals, which the standard allows only in 03 records. */
const SUMMARY_CODES = new Set(
  `100 101 105 106 107 109 110 120 130 131 140 146 150 160 162 163 167 170 178 180 182 185 186 188
  190 200 205 207 210 215 230 231 239 245 250 251 256 260 270 271 280 285 294 302 303 304 305 307
  309 310 315 316 318 319 320 321 324 325 326 327 328 329 330 332 336 338 340 341 343 350 352 355
  356 360 361 370 385 389 390 400 401 403 405 406 410 412 416 420 430 446 450 463 465 467 470 471
  478 480 482 486 490 500 505 507 510 515 530 532 534 536 537 539 550 551 556 560 570 580 583 584
  585 586 587 588 590 594 596 601 602 610 611 612 613 614 615 617 618 621 623 625 626 628 630 632
  640 646 650 655 665 670 685 689 690 720 760`.split(/\s+/),
);
/** Totals of loans, which banks also write as the only entry of a payment. */
const LOAN_TOTALS = new Set(["720", "760"]);
const LOAN_PARTS = /^72[1-8]$/;
const MAX_HELD = 1_000;

type Held = { type: string; line: ImportLine; text: string };

/**
 * The 16 records of an account with the type code of a total. The account's balances decide whether
 * they are entries or repeat other entries; without balances they are refused.
 */
export class SummaryEntries {
  readonly #held: Held[] = [];
  #hasLoanParts = false;

  /** Whether the entry waits for the end of its account. */
  hold(type: string, line: ImportLine, text: string): boolean {
    this.#hasLoanParts ||= LOAN_PARTS.test(type);
    if (!SUMMARY_CODES.has(type) || this.#held.length === MAX_HELD) return false;
    this.#held.push({ type, line, text });
    return true;
  }

  /** Called once the account's other entries are in its statement. */
  settle(statement: Statement, out: LineCollector): void {
    const missing = missingIn(statement);
    const sum = this.#held.reduce((total, { line }) => total + BigInt(line.amount_minor), 0n);
    for (const { type, line, text } of this.#held) {
      const areEntries =
        missing === null
          ? LOAN_TOTALS.has(type) && !this.#hasLoanParts
          : missing === sum && sum !== 0n;
      if (areEntries) out.add(line, statement);
      else if (missing === 0n && sum !== 0n) out.skip(line.position, "total", text);
      else
        out.refuse(
          line.position,
          "16",
          "This type code is that of a total, which may repeat other entries.",
          type,
          "the type code of an entry, or balances that decide",
          statement,
        );
    }
  }
}

/** The difference between the entries and the change of the balance; null without both balances. */
function missingIn({ opening, closing, contradictory, sum }: Statement): bigint | null {
  if (opening === null || closing === null || contradictory) return null;
  return BigInt(closing) - BigInt(opening) - sum;
}
