import type { MappedField } from "../mapping.ts";
import { plainWords, TEXT_MAX_LENGTH } from "../words/plain-words.ts";
import { MORE_HEADER_WORDS } from "./csv-more-words.ts";
import { OTHER_HEADER_WORDS } from "./csv-other-languages.ts";

/**
 * Column names of banks and ledgers, in English, German, French, Spanish, Dutch, Italian and
 * Portuguese: lower case, without diacritics, with punctuation as one space. The first name of a
 * field is the likeliest. A fee is only mapped by a person, because no column name tells whether
 * the amount is before or after the fee.
 */
export const HEADER_WORDS: Record<
  Exclude<MappedField, "amount_minor" | "fee" | "fee_minor">,
  string
> = {
  amount: `amount|betrag|montant|importe|bedrag|importo|valor|umsatz|transaction amount|betrag eur|amount eur|amount usd|amount gbp|bedrag eur|montant eur|importe eur|importo eur
    |umsatz in eur|betrag in eur|betrag in|netto|net amount|amount net|amount in account currency|transaktionsbetrag|zahlungsbetrag|somme|monto|cantidad|total|net|value|gutschrift lastschrift|gross|gross amount|brutto|bruttobetrag|nettobetrag`,
  debit: `debit|soll|debet|debe|dare|debit amount|amount debit|cargo|cargos|addebito|addebiti|money out|paid out|withdrawal|withdrawals|debits|uscite|uscita|lastschrift|belastung|ausgaben|ausgang|auszahlung|af
    |debito|gasto|gastos|retiros|saida|montant debit|betrag soll|debit eur|soll eur|payments out|out|debits amount|spent|withdrawal amount`,
  credit: `credit|haben|haber|avere|credit amount|amount credit|abono|abonos|accredito|accrediti|money in|paid in|deposit|deposits|credits|entrate|entrata|gutschrift|einnahmen|eingang|einzahlung|bij
    |credito|ingreso|ingresos|depositos|entrada|montant credit|betrag haben|credit eur|haben eur|payments in|in|received|deposit amount`,
  sign: `debit credit|credit debit|soll haben|s h|sh|d c|c d|dc|cr dr|dr cr|af bij|bij af|debit credit indicator|credit debit indicator|soll haben kennzeichen|sollhaben|haben soll|indicator|sign|vorzeichen
    |sens|sens operation|debet credit|dare avere|segno|debe haber|signo|plus minus|credit or debit|type de mouvement|kennzeichen`,
  currency: `currency|wahrung|waehrung|devise|divisa|moneda|munt|valuta|ccy|currency code|moeda|iso currency|muntsoort|kontowahrung|monnaie`,
  value_date: `value date|valuta|valutadatum|wertstellung|wertstellungsdatum|wertstellungstag|date de valeur|date valeur|fecha valor|f valor|fecha de valor|data valuta|rentedatum|valuta datum|data valor|valutierung|valuedate`,
  booked_date: `date|datum|buchungstag|buchungsdatum|buchung|booking date|posting date|post date|posted date|transaction date|date operation|date d operation|date de l operation|date comptable|date de comptabilisation
    |fecha|fecha operacion|fecha de operacion|f operacion|fecha contable|data|data contabile|data operazione|data registrazione|boekdatum|boekingsdatum|transactiedatum|datum boeking|data movimento|data operacao
    |completed date|date completed|created|created utc|available on|entry date|umsatzdatum|posted|started date|belegdatum|trans date|transaction posted date`,
  reference: `reference|referenz|referencia|referentie|riferimento|reference number|ref|kundenreferenz|kundenreferenz end to end|end to end reference|end to end id|end to end referenz|payment reference|zahlungsreferenz
    |betalingskenmerk|kenmerk|reference client|ref client|belegnummer|beleg|rechnungsnummer|invoice|invoice number|document number|document|voucher|num operation|numero de reference|order id|order number|transaction reference
    |bank reference|bankreferenz|your reference|cheque number|check number|n reference|numero documento|customer reference`,
  counterparty: `counterparty|payee|name|beguenstigter zahlungspflichtiger|begunstigter zahlungspflichtiger|auftraggeber begunstigter|auftraggeber beguenstigter|begunstigter auftraggeber|name zahlungsbeteiligter|zahlungsbeteiligter
    |zahlungsempfanger|zahlungsempfaenger|zahlungspflichtige r|zahlungspflichtiger|empfanger|empfaenger|beneficiary|beneficiary name|beneficiaire|emetteur|tiers|contrepartie|beneficiario|ordenante|ordinante|naam|naam tegenpartij
    |tegenpartij|naam omschrijving|tegenrekening naam|controparte|contraparte|customer|customer name|vendor|merchant|merchant name|partner|partnername|auftraggeber|payer|payer name|counterparty name|gegenpartei|debtor|nom|nombre|supplier`,
  description: `description|verwendungszweck|libelle|concepto|omschrijving|descrizione|causale|buchungstext|details|narrative|memo|transaction description|mededelingen|mededeling|descripcion|descricao|libelle operation|text|notes
    |particulars|payment details|beschreibung|communication|intitule|observaciones|vorgang verwendungszweck|transaction details|note|bezeichnung|remittance information|lancamento|lancamentos|zahlungszweck|verwendung|wording|nature|memo description|libelle simplifie|vorgang`,
  group_key: `group key|payout|payout id|batch|batch id|settlement id|settlement|automatic payout id|deposit id|sammlerreferenz|transfer id|balance transaction payout`,
  external_id: `external id|transaction id|id|unique id|txn id|transaktions id|transaktionsnummer|transaction number|fitid|identifiant|volgnr|transactiereferentie|transaction code|transaktionscode|balance transaction id|uuid|journal entry id|entry id|line id`,
};

/** Abbreviations, which are replaced by the whole word before a name is looked up. */
const ABBREVIATIONS: Record<string, string> = {
  doc: "document",
  docs: "document",
  inv: "invoice",
  no: "number",
  nr: "number",
  nbr: "number",
  num: "number",
  n: "number",
  numero: "number",
  nummer: "number",
  numer: "number",
  trans: "transaction",
  tran: "transaction",
  txn: "transaction",
  trx: "transaction",
  desc: "description",
  descr: "description",
  amt: "amount",
  acct: "account",
  ref: "reference",
  refno: "reference number",
  cust: "customer",
  dt: "date",
  ident: "id",
  identifier: "id",
};
/** Words that may be left out of names. */
const ARTICLES = new Set(
  "de du des d l la le les del della dell di da do das dos of the der die das en".split(" "),
);

/**
 * Expands abbreviations and drops articles, so that "Doc. Date" equals "Document date", and "Date
 * de la facture" equals "Date facture".
 */
function spellOut(words: string): string {
  return words
    .split(" ")
    .filter((word) => !ARTICLES.has(word))
    .map((word) => ABBREVIATIONS[word] ?? word)
    .join(" ");
}

type FieldMatch = { field: MappedField; rank: number };
const FIELDS_BY_NAME = new Map<string, FieldMatch[]>();
const FIELDS_BY_FULL_NAME = new Map<string, FieldMatch[]>();
for (const [field, words] of Object.entries(HEADER_WORDS) as [
  keyof typeof HEADER_WORDS,
  string,
][]) {
  const all = [words, MORE_HEADER_WORDS[field] ?? "", OTHER_HEADER_WORDS[field] ?? ""];
  for (const [rank, word] of all.join("|").split("|").entries()) {
    const key = plainWords(word);
    if (key === "") continue;
    for (const [index, name] of [
      [FIELDS_BY_NAME, key],
      [FIELDS_BY_FULL_NAME, spellOut(key)],
    ] as const) {
      const known = index.get(name) ?? [];
      if (!known.some((one) => one.field === field)) index.set(name, [...known, { field, rank }]);
    }
  }
}

/** The fields that a column with this name may have, with their ranks: 0 is the likeliest. */
export function fieldsForName(column: string): FieldMatch[] {
  const found = fieldsOf(plainWords(column));
  if (found.length > 0) return found;
  const name = column.slice(0, TEXT_MAX_LENGTH);
  // "Crédito (R$)", "金额（元）"
  const bare = fieldsOf(plainWords(name.replace(/[([\uFF08][^)\]\uFF09]*[)\]\uFF09]/g, " ")));
  if (bare.length > 0) return bare;
  // "InvoiceDate"
  return fieldsOf(plainWords(name.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")));
}

function fieldsOf(words: string): FieldMatch[] {
  // "Amount (EUR)", "Betrag in EUR".
  const bare = words.replace(
    / (?:(?:in|en) )?(?:[a-z]{3}|euros?|euroa|dollars?|pounds?|franken|francs|kr|lei)$/,
    "",
  );
  return (
    FIELDS_BY_NAME.get(words) ??
    FIELDS_BY_NAME.get(bare) ??
    FIELDS_BY_FULL_NAME.get(spellOut(words)) ??
    FIELDS_BY_FULL_NAME.get(spellOut(bare)) ??
    []
  );
}
