import { plainWords } from "./plain-words.ts";
import { summaryLabel } from "./summary-labels.ts";

/** A month, as in "as at 31 October". */
const MONTH =
  "(?:jan|feb|fev|mar|apr|avr|ma[iy]|jun|jui|jul|aug|aou|ago|sep|set|o[ck]t|ott|out|nov|de[cz]|dic)\\p{L}*";

const OPENING =
  labels(`opening balance|opening ledger balance|opening book balance|beginning balance
  |starting balance|start balance|previous balance|balance brought forward|brought forward|balance b f
  |anfangssaldo|anfangsbestand|alter kontostand|alter saldo|saldovortrag|saldo vortrag|solde initial
  |solde precedent|solde d ouverture|solde anterieur|ancien solde|saldo inicial|saldo anterior
  |saldo iniziale|saldo di apertura|algsaldo|sakuma atlikums|pradinis likutis|acilis bakiyesi|devir|devreden bakiye|sold initial|sold precedent|pocetno stanje|prethodno stanje
  |zacetno stanje|pociatocny zostatok|υπόλοιπο εκ μεταφοράς|входящий остаток|вхідний залишок|前月繰越|繰越|期初余额|上期余额|이월잔액|beginsaldo|openingssaldo|vorig saldo|ingaende saldo|inngaende saldo
  |startsaldo|primosaldo|saldo poczatkowe|saldo otwarcia|pocatecni zustatek|nyito egyenleg|alkusaldo`);
const CLOSING =
  labels(`closing balance|closing ledger balance|closing book balance|ending balance|end balance
  |final balance|new balance|balance carried forward|carried forward|balance c f|endsaldo|endbestand
  |schlusssaldo|schlussbestand|neuer kontostand|neuer saldo|solde final|nouveau solde|solde de cloture
  |saldo final|loppsaldo|beigu atlikums|galutinis likutis|kapanis bakiyesi|sold final|konacno stanje|zavrsno stanje|novo stanje|koncno stanje|konecny zostatok
  |исходящий остаток|вихідний залишок|次月繰越|期末余额|本期余额|nuevo saldo|saldo finale|saldo di chiusura|eindsaldo|slotsaldo|nieuw saldo|utgaende saldo
  |slutsaldo|ultimosaldo|saldo koncowe|saldo zamkniecia|konecny zustatek|zaro egyenleg|loppusaldo`);
const MAY_BE_LABEL =
  /^total |turnover|avail|verf[uü]|dispo|beschik|tillg|k[aä]ytett|dost[eę]p|sald|balanc|sold|kontostand|bestand|egyenleg|zustat|zostat|forward|stanje|likut|atlikums|bakiye|devir|käive|[\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hangul}]/iu;
/** The first letters of labels, by which most other texts are quickly ruled out. */
const STARTS =
  /^(?:avail|verf[uü]|aktuell|dispo|montant d|importe d|besch|tillg|k[aä]yt|dost|open|begin|start|prev|bala|brou|anfa|alte|sald|sold|anci|vori|ing|inn|prim|po[cč]|nyit|alku|alg|clos|endi|end|fina|new|carr|schl|neue|nouv|nuev|eind|slot|nieu|utg|slut|ulti|kon|z[aá]r|za[vč]|l[oõ]pp|tota|turn|umsa|debi|cred|depo|with|mouv|k[aä]ive|s[aā]k|beig|prad|galu|a[cç][iı]l|kapan|dev[ir]|pret|novo|[\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hangul}])/iu;
const LABEL_MAX_LENGTH = 60;

export type BalanceKind = "opening" | "closing";

function labels(list: string): { atStart: RegExp; whole: RegExp } {
  const words = list.split("|").map(plainWords);
  const any = `(?:${words.join("|")})`;
  return {
    atStart: new RegExp(`^${any}\\b`),
    // "Opening balance on 01.03.2026"
    whole: new RegExp(`^${any}(?: \\p{L}{1,4}){0,2}(?: \\d+| ${MONTH}| (?:as|at|of|per))*$`, "u"),
  };
}

/** Names of the available amount, which is a balance less reserved amounts and not a line. */
const AVAILABLE_NAMES = `available balance|available funds|available amount|balance available
  |verfugbarer betrag|verfuegbarer betrag|verfugbarer saldo|verfuegbarer saldo|verfugbares guthaben
  |verfuegbares guthaben|aktuell verfugbar|aktuell verfuegbar
  |solde disponible|montant disponible|saldo disponible|importe disponible|saldo disponibile
  |saldo disponivel|beschikbaar saldo|beschikbaar bedrag|disponibelt belob|disponibel saldo
  |disponibelt belopp|tillgangligt belopp|tillgangligt saldo|disponibelt belop|kaytettavissa
  |dostepne srodki|saldo dostepne|disponibilny zustatek|disponibilni zustatek`;
/** The words in these names that mean available. */
const AVAILABLE_WORD =
  /\b(?:available|verfu?e?gbar\w*|disponib\w+|disponivel|beschikbaar|tillganglig\w*|dostepn\w+|kaytettavissa)\b/;
/** Only a day may follow, because a shop may have such a name. */
const AVAILABLE = new RegExp(
  `^(?:${AVAILABLE_NAMES.split("|").map(plainWords).join("|")})(?: (?:as|at|of|on|per|am|zum|au|al|op))*(?: \\d+| ${MONTH})*$`,
  "u",
);
const TURNOVER =
  /^(?:total )?(?:turnover|debits?|credits?|deposits|withdrawals|umsatze|mouvements|kaive|apgrozijums|apyvarta)$/;

/**
 * Whether a column has the available balance, which includes an overdraft or excludes reserved
 * amounts.
 */
export function isAvailableBalance(column: string): boolean {
  return AVAILABLE_WORD.test(plainWords(column));
}

/** The balance or total that a text names, if it names nothing else. */
export function labelOf(text: string): BalanceKind | "total" | undefined {
  if (text.length > LABEL_MAX_LENGTH || !STARTS.test(text) || !MAY_BE_LABEL.test(text))
    return undefined;
  const plain = plainWords(text);
  if (OPENING.whole.test(plain)) return "opening";
  if (CLOSING.whole.test(plain)) return "closing";
  return TURNOVER.test(plain) || AVAILABLE.test(plain) ? "total" : undefined;
}

/**
 * Whether a text names a balance and nothing else. A single word may also be the text of a payment.
 */
export function balanceLabel(text: string): "balance" | "unclear" | undefined {
  if (labelOf(text) !== undefined) return "balance";
  const label = summaryLabel(text);
  if (label?.kind !== "balance") return undefined;
  return label.isOneWord ? "unclear" : "balance";
}

/** The balance whose name a text begins with. */
export function labelAtStart(text: string): BalanceKind | undefined {
  if (text.length > LABEL_MAX_LENGTH || !MAY_BE_LABEL.test(text)) return undefined;
  const plain = plainWords(text);
  if (OPENING.atStart.test(plain)) return "opening";
  return CLOSING.atStart.test(plain) ? "closing" : undefined;
}
