/**
 * Finds a bank's own bookings: interest, charges and tax on interest. Their texts have only words
 * that identify no party, so they are not a customer's payment, whatever the amount.
 */
import type { Lines } from "../lines.ts";
import { digitsIn, hasDigit } from "../prepare/identifiers.ts";
import { wordsOf } from "../prepare/text.ts";
import type { Side } from "../side.ts";
import { isBookingWord } from "./booking-words.ts";

/** Words in normal form that name a bank's own booking. German ones may be part of a compound. */
const OWN_WORD =
  /ZINS(EN|ERTRAG|ERTRAGE|ERTRAEGE|GUTSCHRIFT|ABSCHLUSS)?$|ENTGELTE?$|GEB(U|UE)HR(EN)?$|SPESEN$|GEBYR(ER)?$|R[AE]NTA$|KORKO$|KONTOF(U|UE)HRUNG|(KAPITALERTRAGS?|QUELLEN|ABGELTUNGS)STEUER$|^(KAPST|KEST|SOLZ|SOLIDARITATSZUSCHLAG|SOLIDARITAETSZUSCHLAG|INTERESTS?|FEES?|CHARGES|COMMISSIONS?|OVERDRAFT|FRAIS|AGIOS?|INTERETS?|COMMISSIONI?|INTERESSI|COMPETENZE|SPESE|RITENUTA|CANONE|INTERES|INTERESES|COMISION|COMISIONES|RETENCION|MANTENIMIENTO|JUROS|COMISSAO|COMISSOES|TARIFAS?|PROWIZJA|OPLATA|ODSETKI|POPLATEK|UROKY?|(CREDIT|DEBET)?RENTE|BANKKOSTEN)$/;
/** The word CHARGE alone may be on a customer's payment. */
const OWN_CHARGE = /\b(SERVICE|BANK|ACCOUNT|MAINTENANCE) CHARGE\b/;
/** Other words of such texts: the account, the days, and how the amount was computed. */
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
/** Shorter words and numbers are ignored as days, rates and particles. */
const MIN_LETTERS = 3;

const UNREAD = 0;
const OWN_BOOKING = 1;
const OTHER_BOOKING = 2;

/** The lines that are a bank's own bookings. Each line is read once, when it is first needed. */
export class OwnBookings {
  private readonly lines: { left: Lines; right: Lines };
  private readonly found: { left: Uint8Array; right: Uint8Array };

  constructor(left: Lines, right: Lines) {
    this.lines = { left, right };
    this.found = { left: new Uint8Array(left.length), right: new Uint8Array(right.length) };
  }

  /** Whether one side has only a bank's own bookings, and the other only a party's payments. */
  isOwnAgainstParty(left: ArrayLike<number>, right: ArrayLike<number>): boolean {
    return (
      this.isSideOwnAgainstParty("left", left, right) ||
      this.isSideOwnAgainstParty("right", right, left)
    );
  }

  private isSideOwnAgainstParty(
    side: Side,
    lines: ArrayLike<number>,
    otherLines: ArrayLike<number>,
  ): boolean {
    for (let at = 0; at < lines.length; at++)
      if (!this.isOwn(side, lines[at] as number)) return false;
    const numbers = Array.from(lines).flatMap((line) => numbersOf(this.lines[side], line));
    const columns = this.lines[side === "left" ? "right" : "left"];
    for (let at = 0; at < otherLines.length; at++)
      if (!isPartyPayment(columns, otherLines[at] as number, numbers)) return false;
    return true;
  }

  private isOwn(side: Side, line: number): boolean {
    const found = this.found[side];
    if (found[line] === UNREAD)
      found[line] = isOwnBooking(this.lines[side], line) ? OWN_BOOKING : OTHER_BOOKING;
    return found[line] === OWN_BOOKING;
  }
}

/** Whether a line has the words of a bank's own booking and no word that identifies a party. */
function isOwnBooking(lines: Lines, line: number): boolean {
  const text = lines.text(line, "description");
  if (text === null) return false;
  const words = wordsOf(text, "description");
  if (!words.some((word) => OWN_WORD.test(word)) && !OWN_CHARGE.test(words.join(" "))) return false;
  const identifiesParty = (word: string) =>
    word.length >= MIN_LETTERS &&
    !/^\d+$/.test(word) &&
    !isBookingWord(word) &&
    !DETAILS.has(word) &&
    !OWN_WORD.test(word);
  return !words.some(identifiesParty) && !isNamed(lines, line);
}

/** The words of a line that have three digits or more. */
function numbersOf(lines: Lines, line: number): string[] {
  const words = [...lines.words(line, "description"), ...lines.words(line, "reference")];
  return words.filter((word) => digitsIn(word) >= MIN_LETTERS);
}

/** Whether a line names a party, and contains no word of own bookings and none of the numbers. */
function isPartyPayment(lines: Lines, line: number, numbers: readonly string[]): boolean {
  if (!isNamed(lines, line)) return false;
  const words = [
    ...lines.words(line, "description"),
    ...wordsOf(lines.text(line, "reference") ?? "", "description"),
  ];
  return !words.some((word) => OWN_WORD.test(word) || (hasDigit(word) && numbers.includes(word)));
}

/** Whether a line has a counterparty that is not a bank. */
function isNamed(lines: Lines, line: number): boolean {
  if (!lines.hashes.counterparty.has(line)) return false;
  return !lines.words(line, "counterparty").some((word) => BANK.test(word));
}
