/**
 * What a bank books for itself: interest, charges, tax on interest. It says so in words that tell
 * nothing of whose money it is, so it is no customer's payment, whatever its amount.
 */
import type { Lines } from "../lines.ts";
import { digitsIn, hasDigit } from "../prepare/identifiers.ts";
import { wordsOf } from "../prepare/text.ts";
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

/** Whether a bank books these lines for itself, and those of the other side name who pays. */
export function isBanksOwnAgainstParty(
  own: Lines,
  ownLines: ArrayLike<number>,
  other: Lines,
  otherLines: ArrayLike<number>,
): boolean {
  const numbers: string[] = [];
  for (let at = 0; at < ownLines.length; at++) {
    const words = wordsOfOwnBooking(own, ownLines[at] as number);
    if (!words) return false;
    numbers.push(...words.filter((word) => digitsIn(word) >= MIN_LETTERS));
  }
  for (let at = 0; at < otherLines.length; at++)
    if (!isOfParty(other, otherLines[at] as number, numbers)) return false;
  return true;
}

/** The words of a line that is nothing but such a booking; null of others. */
function wordsOfOwnBooking(lines: Lines, line: number): string[] | null {
  const text = lines.text(line, "description");
  if (text === null) return null;
  const words = wordsOf(text, "description");
  if (!words.some((word) => OWN.test(word)) && !OWN_CHARGE.test(words.join(" "))) return null;
  const isTelling = (word: string) =>
    word.length >= MIN_LETTERS &&
    !/^\d+$/.test(word) &&
    !isBookingWord(word) &&
    !DETAILS.has(word) &&
    !OWN.test(word);
  if (words.some(isTelling) || isNamed(lines, line)) return null;
  return [...words, ...lines.words(line, "reference")];
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
