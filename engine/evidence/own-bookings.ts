/**
 * What a bank books for itself: interest, charges, tax on interest. It says so in words that tell
 * nothing of whose money it is, so it is no customer's payment, whatever its amount.
 */
import type { Lines } from "../lines.ts";
import { digitsIn, hasDigit } from "../prepare/identifiers.ts";
import { wordsOf } from "../prepare/text.ts";
import type { Side } from "../side.ts";
import { isBookingWord } from "./booking-words.ts";

/** Words in normal form, of which German ones may be part of another. */
const OWN =
  /ZINS(EN|ERTRAG|ERTRAGE|ERTRAEGE|GUTSCHRIFT|ABSCHLUSS)?$|ENTGELTE?$|GEB(U|UE)HR(EN)?$|SPESEN$|GEBYR(ER)?$|R[AE]NTA$|KORKO$|KONTOF(U|UE)HRUNG|(KAPITALERTRAGS?|QUELLEN|ABGELTUNGS)STEUER$|^(KAPST|KEST|SOLZ|SOLIDARITATSZUSCHLAG|SOLIDARITAETSZUSCHLAG|INTERESTS?|FEES?|CHARGES|COMMISSIONS?|OVERDRAFT|FRAIS|AGIOS?|INTERETS?|COMMISSIONI?|INTERESSI|COMPETENZE|SPESE|RITENUTA|CANONE|INTERES|INTERESES|COMISION|COMISIONES|RETENCION|MANTENIMIENTO|JUROS|COMISSAO|COMISSOES|TARIFAS?|PROWIZJA|OPLATA|ODSETKI|POPLATEK|UROKY?|(CREDIT|DEBET)?RENTE|BANKKOSTEN)$/;
/** A charge alone may be a customer's. */
const OWN_CHARGE = /\b(SERVICE|BANK|ACCOUNT|MAINTENANCE) CHARGE\b/;
/** What such texts also say: of which account, which days, and how it was worked out. */
const DETAILS: ReadonlySet<string> = new Set(
  (
    "EARNED ACCRUED CHARGED APPLIED BALANCE RATE PERIOD QUARTER WITHHOLDING MAINTENANCE " +
    "KONTO KTO QUARTAL ZEITRAUM PER BIS AUF SOLL HABEN GUTHABEN KREDIT SALDO " +
    "CREDITEURS DEBITEURS TENUE COMPTE TRIMESTRE SUR SOLDE " +
    "ATTIVI PASSIVI CREDITORI DEBITORI TENUTA CONTO SU PERIODO " +
    "CUENTA LIQUIDACION MANUTENCAO CONTA REKENING KWARTAAL " +
    "PROWADZENIE RACHUNKU VEDENI UCTU"
  ).split(" "),
);
const BANK = /BANK(EN)?$|^BANK|SPARKASSE|^BANQUE$|^BANCA$|^BANCO$/;
/** Shorter words and numbers are days, rates and particles. */
const MIN_LETTERS = 3;

const UNREAD = 0;
const OWN_BOOKING = 1;
const NO_OWN_BOOKING = 2;

/** Which lines a bank books for itself. A line is read once, when it is first asked for. */
export class OwnBookings {
  private readonly lines: { left: Lines; right: Lines };
  private readonly found: { left: Uint8Array; right: Uint8Array };

  constructor(left: Lines, right: Lines) {
    this.lines = { left, right };
    this.found = { left: new Uint8Array(left.length), right: new Uint8Array(right.length) };
  }

  /** Whether a bank books the lines of one side for itself, and those of the other name who pays. */
  areAgainstParty(left: ArrayLike<number>, right: ArrayLike<number>): boolean {
    return this.isOneAgainst("left", left, right) || this.isOneAgainst("right", right, left);
  }

  private isOneAgainst(side: Side, own: ArrayLike<number>, other: ArrayLike<number>): boolean {
    for (let at = 0; at < own.length; at++) if (!this.isOwn(side, own[at] as number)) return false;
    const lines = this.lines[side];
    const numbers = Array.from(own).flatMap((line) => numbersOf(lines, line));
    const others = this.lines[side === "left" ? "right" : "left"];
    for (let at = 0; at < other.length; at++)
      if (!isOfParty(others, other[at] as number, numbers)) return false;
    return true;
  }

  private isOwn(side: Side, line: number): boolean {
    const found = this.found[side];
    if (found[line] === UNREAD)
      found[line] = isOwnBooking(this.lines[side], line) ? OWN_BOOKING : NO_OWN_BOOKING;
    return found[line] === OWN_BOOKING;
  }
}

/** Whether a line is nothing but such a booking. */
function isOwnBooking(lines: Lines, line: number): boolean {
  const text = lines.text(line, "description");
  if (text === null) return false;
  const words = wordsOf(text, "description");
  if (!words.some((word) => OWN.test(word)) && !OWN_CHARGE.test(words.join(" "))) return false;
  const isTelling = (word: string) =>
    word.length >= MIN_LETTERS &&
    !/^\d+$/.test(word) &&
    !isBookingWord(word) &&
    !DETAILS.has(word) &&
    !OWN.test(word);
  return !words.some(isTelling) && !isNamed(lines, line);
}

/** The words of a line with three digits or more. */
function numbersOf(lines: Lines, line: number): string[] {
  const words = [...lines.words(line, "description"), ...lines.words(line, "reference")];
  return words.filter((word) => digitsIn(word) >= MIN_LETTERS);
}

/** Whether a line names a counterparty and says nothing of interest, a charge or these numbers. */
function isOfParty(lines: Lines, line: number, numbers: readonly string[]): boolean {
  if (!isNamed(lines, line)) return false;
  const words = [
    ...lines.words(line, "description"),
    ...wordsOf(lines.text(line, "reference") ?? "", "description"),
  ];
  return !words.some((word) => OWN.test(word) || (hasDigit(word) && numbers.includes(word)));
}

/** Whether a line names a counterparty that is no bank. */
function isNamed(lines: Lines, line: number): boolean {
  if (!lines.hashes.counterparty.has(line)) return false;
  return !lines.words(line, "counterparty").some((word) => BANK.test(word));
}
