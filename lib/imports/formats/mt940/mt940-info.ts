/** The content of a :86:, in any dialect. */
export type Info = {
  /** The lines as received, because a second field may continue them. */
  lines: string[];
  reference?: string;
  counterparty?: string;
  description?: string;
  /** Names of details and their texts. */
  more: [string, string | undefined][];
};

/**
 * Business transaction code, then a character that separates subfields of two digits:
 * `166?00…?20…`, `020<00…<20…`, `~20…`.
 */
const SUBFIELDS = /^(\d{3})?([^\p{L}\p{N}\s/:+])(\d{2})/u;
/**
 * Separators that no sentence begins with. With other separators, text such as `-10% discount`
 * would look like a subfield.
 */
const CLEAR_SEPARATOR = /[?<>~^|@§$!`]/;
/** Subfields that banks use; other digits after the separator are text. */
const isCode = (code: number) =>
  code === 0 || code === 10 || (code >= 20 && code <= 39) || (code >= 60 && code <= 69);
/** Parts of the purpose are cut at 27 characters, even within words. */
const PIECE_LENGTH = 27;
const PURPOSE_CODES = [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 60, 61, 62, 63, 64, 65];
const NAME_CODES = [32, 33];

const SEPA = /(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|PURP|IBAN|BIC)\+/g;
const SEPA_DETAILS: Record<string, string> = {
  EREF: "end_to_end_id",
  KREF: "payment_reference",
  MREF: "mandate_id",
  CRED: "creditor_id",
  DEBT: "debtor_id",
  COAM: "charges",
  OAMT: "original_amount",
  ABWA: "ultimate_counterparty",
  ABWE: "ultimate_creditor",
  PURP: "purpose",
  IBAN: "counterparty_account",
  BIC: "counterparty_bank",
};

const SLASH_CODES =
  "TRTP|TRCD|IBAN|BIC|NAME|ADDR|REMI|EREF|PREF|KREF|MARF|CSID|RTRN|RTYP|CNTP|ORDP|BENM|ISDT|PURP|ULTD|ULTB|ULTC|OCMT|CHGS|EXCH|SVCL|SWOC|OAMT|COAM|CDTRREF|NRTX|DACS|ACCW|BUSP";
const SLASHED = new RegExp(`^/(?:${SLASH_CODES})/`);
const SLASH_PARTS = new RegExp(`/(${SLASH_CODES})/(.*?)(?=/(?:${SLASH_CODES})/|$)`, "gs");

const PLACEHOLDER = /^(?:NOT ?PROVIDED|NOTPROV|NON ?REF|NOREF|-|0+)?$/i;

/**
 * Reads field 86: German subfields (`?20` to `?29`, `?32`), also with the separators of Polish,
 * Austrian and other banks, and the SEPA keywords within (`EREF+`, `SVWZ+`); slashed codes as Dutch
 * banks and SWIFT write them (`/EREF/…/REMI/…`); otherwise plain text.
 */
export function accountOwnerInfo(lines: string[]): Info {
  const first = lines.find((line) => line.trim() !== "")?.trimStart() ?? "";
  const [, businessCode, separator] = SUBFIELDS.exec(first) ?? [];
  if (separator !== undefined) {
    const read = readSubfields(
      lines.map(withoutBreak).join("").trimStart(),
      businessCode,
      separator,
    );
    if (read) return { lines, ...read };
  }
  if (SLASHED.test(first)) return { lines, ...readSlashCodes(lines.map(withoutBreak).join("")) };
  const text = lines
    .map((line) => line.trim())
    .filter(Boolean)
    .join(" ");
  return {
    lines,
    ...(text.search(SEPA) >= 0
      ? readPurpose(text, [])
      : { ...(text && { description: text }), more: [] }),
  };
}

/**
 * A line without its carriage return. Lines are joined without a space, because they are cut at 65
 * characters, even within words; a shorter line was padded or ends its subfield.
 */
function withoutBreak(line: string): string {
  return line.replace(/\r$/, "");
}

/** Undefined if the text only looks like subfields. */
function readSubfields(
  text: string,
  businessCode: string | undefined,
  separator: string,
): Omit<Info, "lines"> | undefined {
  const subfields: string[] = [];
  const more: Info["more"] = [];
  const [, ...parts] = text.split(separatorPattern(separator));
  let last: number | undefined;
  let found = 0;
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const code = Number(parts[at]);
    const piece = parts[at + 1] ?? "";
    if (isCode(code)) {
      found++;
      last = code;
      subfields[code] = `${subfields[code] ?? ""}${piece}`;
    } else if (last !== undefined && isTextOf(last, code, parts[at + 2]))
      subfields[last] += `${separator}${parts[at]}${piece}`;
    else more.push([`subfield_${parts[at]}`, piece.trim()]);
  }
  if (found === 0) return undefined;
  if (found < 2 && !CLEAR_SEPARATOR.test(separator)) return undefined;
  const get = (code: number) => subfields[code]?.trim() || undefined;
  const name = joinPieces(subfields, NAME_CODES);
  const read = readPurpose(joinPieces(subfields, PURPOSE_CODES), [
    ["business_code", businessCode],
    ["posting_text", get(0)],
    ["batch_number", get(10)],
    ["counterparty_bank", get(30)],
    ["counterparty_account", get(38) ?? get(31)],
    ["text_key", get(34)],
    ...more,
  ]);
  if (name) read.counterparty = name;
  return read;
}

/**
 * Whether an apparent subfield is text of the previous one: the codes of subfields ascend, and a
 * purpose may contain anything.
 */
function isTextOf(last: number, code: number, next: string | undefined): boolean {
  const isPurpose = PURPOSE_CODES.includes(last) && (code < 70 || code > 79);
  return isPurpose || code < last || (next !== undefined && code > Number(next));
}

const separatorPatterns = new Map<string, RegExp>();

/**
 * The pattern of a subfield's code after the separator. Any character may be the separator, but a
 * file uses one, so patterns are cached.
 */
function separatorPattern(separator: string): RegExp {
  const known = separatorPatterns.get(separator);
  if (known) return known;
  const pattern = new RegExp(`\\u{${separator.codePointAt(0)?.toString(16)}}(\\d{2})`, "u");
  if (separatorPatterns.size < 100) separatorPatterns.set(separator, pattern);
  return pattern;
}

function joinPieces(subfields: string[], codes: number[]): string {
  let text = "";
  let isLineFull = true;
  for (const code of codes) {
    const piece = subfields[code];
    if (piece === undefined || piece === "") continue;
    text += isLineFull ? piece : ` ${piece}`;
    isLineFull = piece.length >= PIECE_LENGTH || piece.endsWith(" ");
  }
  return text.trim();
}

/** The purpose of a payment, with its SEPA keywords if it has any. */
function readPurpose(purpose: string, more: Info["more"]): Omit<Info, "lines"> {
  if (!purpose.includes("+")) return { ...(purpose && { description: purpose }), more };
  const [before = "", ...parts] = purpose.split(SEPA);
  let endToEnd: string | undefined;
  let payment: string | undefined;
  let remittance = "";
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const word = parts[at] ?? "";
    const text = (parts[at + 1] ?? "").trim();
    if (PLACEHOLDER.test(text)) continue;
    if (word === "SVWZ") remittance ||= text;
    else more.push([SEPA_DETAILS[word] ?? word, text]);
    if (word === "EREF") endToEnd ??= text;
    else if (word === "KREF") payment ??= text;
  }
  const reference = endToEnd ?? payment;
  const lead = before.trim();
  const description = lead && remittance ? `${lead} ${remittance}` : lead || remittance;
  return { ...(reference && { reference }), ...(description && { description }), more };
}

function readSlashCodes(text: string): Omit<Info, "lines"> {
  const words = new Map<string, string>();
  for (const [, code = "", value = ""] of text.matchAll(SLASH_PARTS)) {
    const trimmed = value.replace(/^\/+|\/+$/g, "").trim();
    if (!PLACEHOLDER.test(trimmed) && !words.has(code)) words.set(code, trimmed);
  }
  const get = (code: string) => words.get(code);
  // IBAN, BIC, name, city.
  const [account, bank, name] = get("CNTP")?.split("/") ?? [];
  const counterparty = get("NAME") ?? (name?.trim() || undefined);
  const [, structured, remittance = ""] =
    /^(?:USTD\/+|(STRD)\/(?:CUR|ISO)\/)?(.*)$/s.exec(get("REMI") ?? "") ?? [];
  const description = remittance.trim();
  const reference =
    get("EREF") ?? (structured && description) ?? get("CDTRREF") ?? get("PREF") ?? get("KREF");
  return {
    ...(reference && { reference }),
    ...(counterparty && { counterparty }),
    ...(description && { description }),
    more: [
      ["end_to_end_id", get("EREF")],
      ["payment_reference", get("PREF") ?? get("KREF")],
      ["mandate_id", get("MARF")],
      ["creditor_id", get("CSID")],
      ["creditor_reference", get("CDTRREF")],
      ["counterparty_account", get("IBAN") ?? (account?.trim() || undefined)],
      ["counterparty_bank", get("BIC") ?? (bank?.trim() || undefined)],
      ["posting_text", get("TRTP") ?? get("TRCD")],
      ["return_reason", get("RTRN")],
      ["ultimate_counterparty", get("ULTD") ?? get("ULTC") ?? get("ULTB")],
      ["original_amount", get("OCMT") ?? get("OAMT")],
      ["charges", get("CHGS") ?? get("COAM")],
      ["exchange_rate", get("EXCH")],
      ["purpose", get("PURP")],
    ],
  };
}
