import { OTHER_DIRECTIONS } from "./other-languages.ts";
import { plainWords } from "./plain-words.ts";

/**
 * The words in direction columns, in English, German, French, Spanish, Italian, Portuguese, Dutch,
 * the Nordic languages, Polish, Czech and Hungarian: lower case, without diacritics.
 */
const OUT = `d dr db dbt dbit debit debits debited debet debe debito debitos dare s soll sollbuchung
lastschrift belastung belastet ausgang auszahlung ausgabe abgang zahlungsausgang cargo cargos adeudo
gasto egreso salida retiro retirada addebito uscita uscite prelievo depense sortie retrait
prelevement out outbound outgoing outflow withdrawal withdrawals withdraw withdrawn expense spend spent sent
af afschrijving uitgave uit ut utbetalning uttag uttak utbetaling utgift ud udbetaling haevning
belastning debitering otto veloitus meno wn obciazenie wydatek wyplata vydaj odchozi vyber terheles
tartozik saida despesa debitado levantamento minus negative
|money out|paid out|cash out|payment out|payments out|transfer out|a debito|au debit`;
const IN = `c cr crd crdt credit credits credited kredit k haben habenbuchung h haber credito creditos
avere gutschrift gutgeschrieben eingang einzahlung einnahme zugang zahlungseingang abono abonos
ingreso entrada deposito deposit deposits deposited accredito entrata entrate versamento recette
entree depot encaissement in inbound incoming inflow income received receipt bij bijschrijving inkomst
inkomsten inn innskudd innbetaling inntekt insattning inbetalning ind indbetaling indsat kreditering
talletus pano hyvitys tulo ma uznanie wplyw wplata prijem prichozi vklad jovairas kovetel receita
plus positive
|money in|paid in|cash in|payment in|payments in|transfer in|a credito|au credit`;

const DIRECTIONS = new Map<string, -1 | 1>([
  ...wordsOf(`${OUT}|${OTHER_DIRECTIONS.out}`).map((word) => [word, -1] as const),
  ...wordsOf(`${IN}|${OTHER_DIRECTIONS.in}`).map((word) => [word, 1] as const),
]);

/** Words for payments that usually go in one direction, which is asked, not assumed. */
const LIKELY_OUT = new Set(
  "payment payments purchase purchases fee fees charge charges payout zahlung kauf gebuhr paiement achat pago compra pagamento acquisto acquisti betaling aankoop kop kob kjop platnosc".split(
    " ",
  ),
);
const LIKELY_IN = new Set(
  "refund refunds receipt receipts sale sales topup salary erstattung gehalt remboursement reembolso devolucion rimborso terugbetaling aterbetalning refusion zwrot".split(
    " ",
  ),
);

/**
 * Codes of entries in ledgers by Sage for sales, purchases, bank, cash and journals, whose amounts
 * have no sign. An invoice and its receipt go opposite ways.
 */
const LEDGER_CODES = new Set("si sc sr sa sd pi pc pp pa pd br bp cr cp vr vp jd jc".split(" "));

/** Columns that say debit or credit about a card or an account, not about the payment. */
const OTHER_KINDS =
  /\b(?:card|cards|funding|karte|kartenart|carte|tarjeta|carta|kaart|brand|network|account type|kontoart|product|produkt|method)\b/;

function wordsOf(list: string): string[] {
  const [single = "", ...phrases] = list.split("|");
  return [...single.split(/\s+/), ...phrases.map(plainWords)].filter((word) => word !== "");
}

/** -1 for money out, 1 for money in; undefined if the text says neither. */
export function directionOf(text: string): -1 | 1 | undefined {
  if (text.length > 40) return undefined;
  if (/^[-\u2212\u2013]$/.test(text)) return -1;
  if (text === "+") return 1;
  return DIRECTIONS.get(plainWords(text));
}

/** The likely direction of a longer text, such as "Direct Debit". */
export function likelyDirectionOf(text: string): -1 | 1 | undefined {
  const exact = directionOf(text);
  if (exact !== undefined || text.length > 40) return exact;
  const found = new Set<-1 | 1>();
  for (const word of plainWords(text).split(" ")) {
    const direction = word.length > 2 ? DIRECTIONS.get(word) : undefined;
    if (direction !== undefined) found.add(direction);
    else if (LIKELY_OUT.has(word)) found.add(-1);
    else if (LIKELY_IN.has(word)) found.add(1);
  }
  const [only] = found;
  return found.size === 1 ? only : undefined;
}

export function isLedgerCode(text: string): boolean {
  return LEDGER_CODES.has(text.toLowerCase());
}

/** Whether a column with this name can state the direction of its rows. */
export function mayNameDirection(column: string): boolean {
  return !OTHER_KINDS.test(plainWords(column));
}
