import { OTHER_STATUSES } from "./other-languages.ts";
import { plainWords } from "./plain-words.ts";

/** Words for booked rows, lower case, without diacritics, in fourteen languages. */
const BOOKED = `udfort udfoert gennemfoert booked book posted completed complete cleared settled done executed processed paid
succeeded success successful reconciled final finalised finalized ok confirmed captured gebucht
verbucht gebuchte gebuchter gebuchtes erledigt ausgefuhrt ausgefuehrt abgeschlossen abgerechnet
abgewickelt berechnet erfolgreich bezahlt comptabilise comptabilisee execute executee effectue effectuee regle
reglee traite traitee termine terminee valide validee reussi reussie contabilizado contabilizada
completado completada ejecutado ejecutada realizado realizada liquidado liquidada procesado procesada
confirmado confirmada contabilizzato contabilizzata eseguito eseguita completato completata concluso
conclusa regolato concluido concluida efetuado efetuada processado processada liquidada verwerkt
geboekt uitgevoerd voltooid afgerond betaald bogfort bogfoert gennemfort gennemfoert bokford bokfort
bokfoert utford genomford fullfort kirjattu suoritettu toteutunut zaksiegowano zaksiegowana
zaksiegowany zrealizowano zrealizowana wykonano wykonana rozliczona rozliczono zuctovano zauctovano
provedeno konyvelt konyvelve teljesult teljesitett`;
/** Words for rows that aren't booked yet. */
const PENDING = `pending pend processing outstanding unposted unsettled uncleared unbooked authorised
authorized authorisation authorization auth preauthorised preauthorized preauth reserved hold held
scheduled planned upcoming future waiting awaiting draft incomplete provisional tentative vorgemerkt
vorgemerkte vorgemerkter vormerkung ausstehend schwebend geplant zukunftige zukunftiger autorisiert reserviert angekundigt
angekuendigt attente autorise autorisee planifie planifiee prevu prevue pendiente pendientes autorizado
autorizada retenido retenida programado programada sospeso attesa autorizzato autorizzata prenotato
prenotata provvisorio provvisoria pendente pendentes futuro futura futuros futuras agendado agendada gereserveerd reservering gepland
openstaand geautoriseerd reserveret afventer reservert venter reserverad reserverat preliminar
preliminart planerad planerade planlagt planlagte kommande kommende vantar varaus odottaa katevaraus oczekujaca oczekujacy oczekujace oczekuje zablokowane
zablokowana blokada rezervovano cekajici ceka fuggo fuggoben zarolt
|in progress|in process|in bearbeitung|en cours|a venir|en proceso|en curso|in corso|in elaborazione
|da contabilizzare|em processamento|in behandeling|under behandling|w toku|in verwerking`;
/** Words for rows that were never booked, or canceled by the bank before booking. */
const DECLINED = `declined denied rejected refused failed fail failure error cancelled canceled void
voided reverted expired aborted abandoned unsuccessful blocked abgelehnt fehlgeschlagen storniert
abgebrochen zuruckgewiesen zurueckgewiesen verfallen gescheitert annulliert ungultig refuse refusee
rejete rejetee echoue echouee annule annulee expiree rechazado rechazada denegado denegada fallido
fallida cancelado cancelada anulado anulada revertido revertida rifiutato rifiutata respinto respinta
fallito fallita annullato annullata negato negata recusado recusada falhou falhado falhada rejeitado
rejeitada geweigerd mislukt geannuleerd afgewezen verlopen teruggedraaid afvist annulleret mislykket
mislykkedes avvist annullert nekad avbruten makulerad misslyckad misslyckades hylatty peruttu
epaonnistui odrzucona odrzucono odrzucony anulowana anulowano nieudana zamitnuto zruseno neuspesna
elutasitva elutasitott sikertelen torolve`;
const NEGATIONS = new Set("not nicht non no ne niet nao ikke inte ei nie noch un".split(" "));
/**
 * The text after these words describes rows that are left out, so it says nothing about the rows
 * themselves.
 */
const EXCLUSIONS = new Set(
  "excluding excl exkl except without ohne sans sin senza sem zonder".split(" "),
);
/** Words in headings for rows of both states. */
const CONJUNCTIONS = new Set("including incl inkl and und et y e en".split(" "));
const MAX_LENGTH = 60;

export type BookingState = "booked" | "pending" | "declined";

const STATES = new Map<string, BookingState>([
  ...wordsOf(`${BOOKED}|${OTHER_STATUSES.booked}`).map((word) => [word, "booked"] as const),
  ...wordsOf(`${PENDING}|${OTHER_STATUSES.pending}`).map((word) => [word, "pending"] as const),
  ...wordsOf(`${DECLINED}|${OTHER_STATUSES.declined}`).map((word) => [word, "declined"] as const),
]);

function wordsOf(list: string): string[] {
  const [single = "", ...phrases] = list.split("|");
  return [...single.split(/\s+/), ...phrases.map(plainWords)].filter(Boolean);
}

/** What a status says about a row; undefined if its words are unknown or contradict each other. */
export function bookingStateOf(text: string): BookingState | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const plain = plainWords(text);
  const whole = STATES.get(plain);
  if (whole) return whole;
  const words = plain.split(" ");
  const found = new Set<BookingState>();
  for (let at = 0; at < words.length; at++) {
    const state = STATES.get(`${words[at]} ${words[at + 1]}`) ?? STATES.get(words[at] ?? "");
    if (state) found.add(state);
  }
  if (found.size !== 1 || words.some((word) => EXCLUSIONS.has(word))) return undefined;
  const [state] = found;
  if (!words.some((word) => NEGATIONS.has(word))) return state;
  return state === "booked" ? "pending" : undefined;
}

/** The status that a text consists of; undefined if it says anything else. */
export function wholeStateOf(text: string): BookingState | undefined {
  return text.length > MAX_LENGTH ? undefined : STATES.get(plainWords(text));
}

const TEXT_STATE = /^\p{L}[\p{L} ]{1,29}(?=[-:\u2013\u2014|(*/])/u;
const HEADING_MAX_WORDS = 4;

/** Swedish banks write "Prel Shop". */
const PRELIMINARY = /^prel(?:im|imin[aä]rt?)?\.?\s/i;
const SMALL_P = 112;

/**
 * The words before the first punctuation mark of a text, which may be its status, as in "PENDING -
 * Shop".
 */
export function beginningOf(text: string): string | undefined {
  // Most texts begin with another letter, so the pattern is rarely tried.
  if ((text.charCodeAt(0) | 32) === SMALL_P && PRELIMINARY.test(text)) return "preliminar";
  return TEXT_STATE.exec(text)?.[0];
}

/** What a heading such as "Pending transactions" says about the rows below it. */
export function headingStateOf(text: string): BookingState | undefined {
  const words = plainWords(text).split(" ");
  if (words.length > HEADING_MAX_WORDS || words.some((word) => CONJUNCTIONS.has(word)))
    return undefined;
  return bookingStateOf(text);
}

/** Words that, before a word for rows, say that there are none. */
const NONE = new Set(
  "no keine keinen aucun aucune ningun ninguna nessun nessuna nenhum nenhuma geen ingen inga brak".split(
    " ",
  ),
);
const ROWS = new Set(
  `transactions transaction items payments entries umsatze buchungen operations operation mouvements
  operaciones movimientos operazioni movimenti movimentos transacties transaktioner posteringer
  transakcji operacji`.split(/\s+/),
);

/**
 * Whether a text is a sentence about the rows below a heading, such as "These may still change.",
 * and neither the heading of booked rows nor a sentence that says that there are none.
 */
export function isNote(text: string): boolean {
  const words = plainWords(text).split(" ");
  const isSentence = /[.!)]$|^[*(]/.test(text.trim()) && words.length > HEADING_MAX_WORDS;
  if (!isSentence) return false;
  const states = new Set(words.map((word) => STATES.get(word)));
  const isNegated = words.some((word) => NEGATIONS.has(word));
  if (states.has("booked") && !states.has("pending") && !isNegated) return false;
  return !saysNoRows(text);
}

/** Whether a text says that there are no rows, as in "There are no pending transactions." */
export function saysNoRows(text: string): boolean {
  const words = plainWords(text).split(" ");
  const isWordForRows = (word: string) => ROWS.has(word) || STATES.get(word) === "pending";
  return words.some(
    (word, at) => NONE.has(word) && words.slice(at + 1, at + 3).some(isWordForRows),
  );
}
