import { escapeFormula } from "../../wire/csv-injection.ts";
import { decimalsOf } from "../../wire/currencies.ts";
import { ApiError } from "../../wire/errors.ts";
import type { Entry } from "../contract.ts";
import {
  documentNumber,
  type EntryFile,
  type EntryFileWriter,
  formatDay,
  isAccountDebited,
  requireFit,
  truncate,
  twoDecimals,
  unsuitableEntry,
} from "./entry-file-writer.ts";

/** The columns in order, without the numbered ones in between. */
const BEFORE_INFO =
  "Umsatz (ohne Soll/Haben-Kz);Soll/Haben-Kennzeichen;WKZ Umsatz;Kurs;Basis-Umsatz;WKZ Basis-Umsatz;Konto;Gegenkonto (ohne BU-Schlüssel);BU-Schlüssel;" +
  "Belegdatum;Belegfeld 1;Belegfeld 2;Skonto;Buchungstext;Postensperre;Diverse Adressnummer;Geschäftspartnerbank;Sachverhalt;Zinssperre;Beleglink";
const AFTER_INFO =
  "KOST1 - Kostenstelle;KOST2 - Kostenstelle;Kost-Menge;EU-Land u. UStID (Bestimmung);EU-Steuersatz (Bestimmung);Abw. Versteuerungsart;Sachverhalt L+L;" +
  "Funktionsergänzung L+L;BU 49 Hauptfunktionstyp;BU 49 Hauptfunktionsnummer;BU 49 Funktionsergänzung";
const LAST =
  "Stück;Gewicht;Zahlweise;Forderungsart;Veranlagungsjahr;Zugeordnete Fälligkeit;Skontotyp;Auftragsnummer;Buchungstyp;USt-Schlüssel (Anzahlungen);" +
  "EU-Land (Anzahlungen);Sachverhalt L+L (Anzahlungen);EU-Steuersatz (Anzahlungen);Erlöskonto (Anzahlungen);Herkunft-Kz;Buchungs GUID;KOST-Datum;" +
  "SEPA-Mandatsreferenz;Skontosperre;Gesellschaftername;Beteiligtennummer;Identifikationsnummer;Zeichnernummer;Postensperre bis;" +
  "Bezeichnung SoBil-Sachverhalt;Kennzeichen SoBil-Buchung;Festschreibung;Leistungsdatum;Datum Zuord. Steuerperiode;Fälligkeit;Generalumkehr (GU);" +
  "Steuersatz;Land;Abrechnungsreferenz;BVV-Position;EU-Land u. UStID (Ursprung);EU-Steuersatz (Ursprung);Abw. Skontokonto";

const numbered = (count: number, names: (n: number) => string[]) =>
  Array.from({ length: count }, (_, at) => names(at + 1)).flat();

const COLUMNS = [
  ...BEFORE_INFO.split(";"),
  ...numbered(8, (n) => [`Beleginfo - Art ${n}`, `Beleginfo - Inhalt ${n}`]),
  ...AFTER_INFO.split(";"),
  ...numbered(20, (n) => [`Zusatzinformation - Art ${n}`, `Zusatzinformation- Inhalt ${n}`]),
  ...LAST.split(";"),
];

/** The text columns, counted from 1: they are quoted even if they are empty. */
const TEXTS = new Set([
  ...[2, 3, 6, 9, 11, 12, 14, 16, 20, 40, 42, 91, 95, 96, 98, 102, 103, 105, 107, 109, 110],
  ...[112, 118, 120, 121, 123],
  ...numbered(18, (n) => [`${n + 20}`]).map(Number),
  ...numbered(40, (n) => [`${n + 47}`]).map(Number),
]);

const DESIGNATION_MAX = 30;
const TEXT_MAX = 60;
const COST_CENTER_MAX = 36;

/**
 * DATEV's batch of postings: header version 700, category 21, format version 13, by
 * https://developer.datev.de/datev/platform/de/dtvf/formate/header and
 * https://developer.datev.de/datev/platform/de/dtvf/formate/buchungsstapel. A row is an entry; its
 * account is the debited one, unless a tax code makes the rule's account the contra account.
 */
export const datev: EntryFileWriter = {
  charset: "windows-1252",
  header: (file) => `${headerOf(file)}\r\n${COLUMNS.join(";")}\r\n`,
  rows: (entry, file) => {
    const values = valuesOf(entry, file);
    const cells = COLUMNS.map((column, at) => {
      const value = values[column] ?? "";
      return TEXTS.has(at + 1) ? quoted(value) : value;
    });
    return `${cells.join(";")}\r\n`;
  },
};

function headerOf({ batch, ledger, currency }: EntryFile): string {
  const { datev_consultant: consultant, datev_client: client } = ledger;
  if (consultant === null || client === null)
    throw new ApiError(
      "conflict",
      "A file for DATEV names the consultant and the client. Set datev_consultant and " +
        "datev_client in the entry rules.",
      { reason: "unsuitable_entry" },
    );
  const day = (text: string) => text.replaceAll("-", "");
  const { posting_date, created_at, number, reconciliation_name } = batch;
  return [
    quoted("EXTF"),
    "700",
    "21",
    quoted("Buchungsstapel"),
    "13",
    created_at.replaceAll(/\D/g, ""),
    "",
    quoted("RE"),
    quoted(""),
    quoted(""),
    `${consultant}`,
    `${client}`,
    day(fiscalYearStart(posting_date, ledger.fiscal_year_month)),
    `${ledger.datev_account_length}`,
    day(`${posting_date.slice(0, 8)}01`),
    day(posting_date),
    quoted(truncate(`${number} ${reconciliation_name}`, DESIGNATION_MAX)),
    quoted(""),
    "1",
    "0",
    "0",
    quoted(currency),
    "",
    quoted(""),
    "",
    "",
    quoted(""),
    "",
    "",
    quoted(""),
    quoted(""),
  ].join(";");
}

function fiscalYearStart(day: string, month: number): string {
  const [year = 0, current = 1] = day.split("-").map(Number);
  return `${current < month ? year - 1 : year}-${`${month}`.padStart(2, "0")}-01`;
}

function valuesOf(entry: Entry, file: EntryFile): Record<string, string> {
  const { debit_account, credit_account, tax_code, cost_center, text } = entry;
  const account = (field: string, value: string) => {
    const max = file.ledger.datev_account_length + 1;
    return requireFit(file, entry, field, value, new RegExp(`^\\d{1,${max}}$`), digits(max));
  };
  const sides = [
    account("debit_account", debit_account),
    account("credit_account", credit_account),
  ] as const;
  // DATEV reads the tax key together with the contra account, so the contra account must be the
  // taxed one.
  const isSwapped = tax_code !== null && isAccountDebited(entry);
  const [first, contra] = isSwapped ? [sides[1], sides[0]] : sides;
  return {
    "Umsatz (ohne Soll/Haben-Kz)": amountOf(entry, file),
    "Soll/Haben-Kennzeichen": isSwapped ? "H" : "S",
    "WKZ Umsatz": entry.currency,
    Konto: first,
    "Gegenkonto (ohne BU-Schlüssel)": contra,
    "BU-Schlüssel":
      tax_code === null
        ? ""
        : requireFit(file, entry, "tax_code", tax_code, /^\d{1,4}$/, digits(4)),
    Belegdatum: formatDay("{D}{M}", file.batch.posting_date),
    "Belegfeld 1": documentNumber(file, entry),
    Buchungstext: truncate(escapeFormula(text), TEXT_MAX),
    "KOST1 - Kostenstelle": truncate(escapeFormula(cost_center ?? ""), COST_CENTER_MAX),
    Festschreibung: "0",
  };
}

const digits = (max: number) => `1 to ${max} digits for DATEV`;

function amountOf(entry: Entry, file: EntryFile): string {
  const amount = twoDecimals(entry.amount_minor, decimalsOf(entry.currency) ?? 2, ",");
  if (amount === null)
    throw unsuitableEntry(
      file,
      entry,
      "DATEV takes amounts with two decimals, and this has three.",
    );
  if (amount.length > 13)
    throw unsuitableEntry(
      file,
      entry,
      "DATEV takes amounts of at most 10 digits before the comma.",
    );
  return amount;
}

function quoted(value: string): string {
  return `"${value.replaceAll('"', '""')}"`;
}
