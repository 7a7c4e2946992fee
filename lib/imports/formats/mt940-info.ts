/** What a :86: says, whatever its dialect. */
export type Info = {
  /** As it came, for a field that goes on. */
  lines: string[];
  reference?: string;
  counterparty?: string;
  description?: string;
  /** Names of details and what they say. */
  more: [string, string | undefined][];
};

/** Business transaction code, then a character that separates subfields of two digits: `166?00…?20…`, `020<00…<20…`, `~20…`. */
const SUBFIELDS = /^(\d{3})?([^\p{L}\p{N}\s/:+])(\d{2})/u;
/** Pieces of the purpose are cut at 27 characters, within words too. */
const PIECE_LENGTH = 27;

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
};

const SLASH_CODES =
  "TRTP|TRCD|IBAN|BIC|NAME|ADDR|REMI|EREF|PREF|KREF|MARF|CSID|RTRN|RTYP|CNTP|ORDP|BENM|ISDT|PURP|ULTD|ULTB|ULTC|OCMT|CHGS|EXCH|SVCL|SWOC|OAMT|COAM|CDTRREF|NRTX|DACS|ACCW|BUSP";
const SLASHED = new RegExp(`^/(?:${SLASH_CODES})/`);
const SLASH_PARTS = new RegExp(`/(${SLASH_CODES})/(.*?)(?=/(?:${SLASH_CODES})/|$)`, "gs");

const NOTHING = /^(?:NOT ?PROVIDED|NOTPROV|NON ?REF|NOREF|-|0+)?$/i;

/**
 * Reads field 86: German subfields (`?20` to `?29`, `?32`), also with the separators that Polish, Austrian and other banks use, with the SEPA
 * words within (`EREF+`, `SVWZ+`); slashed codes as Dutch banks and SWIFT write them (`/EREF/…/REMI/…`); else plain text.
 */
export function accountOwnerInfo(lines: string[]): Info {
  const first = lines.find((line) => line.trim() !== "")?.trimStart() ?? "";
  const subfields = SUBFIELDS.exec(first);
  if (subfields) return { lines, ...ofSubfields(lines.map(withoutBreak).join("").trimStart(), subfields[1], subfields[2] ?? "?") };
  if (SLASHED.test(first)) return { lines, ...ofSlashes(lines.map(withoutBreak).join("")) };
  const text = lines
    .map((line) => line.trim())
    .filter(Boolean)
    .join(" ");
  return { lines, ...(text.search(SEPA) >= 0 ? ofPurpose(text, []) : { ...(text && { description: text }), more: [] }) };
}

/** Lines are cut at 65 characters, within words too; a shorter one was padded or ends its subfield. */
function withoutBreak(line: string): string {
  return line.replace(/\r$/, "");
}

function ofSubfields(text: string, businessCode: string | undefined, separator: string): Omit<Info, "lines"> {
  const subfields = new Map<number, string>();
  const mark = new RegExp(`\\u{${separator.codePointAt(0)?.toString(16)}}(\\d{2})`, "u");
  const [, ...parts] = text.split(mark);
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const code = Number(parts[at]);
    subfields.set(code, `${subfields.get(code) ?? ""}${parts[at + 1]}`);
  }
  const get = (code: number) => subfields.get(code)?.trim() || undefined;
  const purpose = joinPieces([...range(20, 29), ...range(60, 65)].map((code) => subfields.get(code) ?? ""));
  const name = joinPieces([subfields.get(32) ?? "", subfields.get(33) ?? ""]);
  const read = ofPurpose(purpose, [
    ["business_code", businessCode],
    ["posting_text", get(0)],
    ["batch_number", get(10)],
    ["counterparty_bank", get(30)],
    ["counterparty_account", get(38) ?? get(31)],
    ["text_key", get(34)],
  ]);
  return { ...read, ...(name && { counterparty: name }) };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

function joinPieces(pieces: string[]): string {
  let text = "";
  let whole = true;
  for (const piece of pieces) {
    if (piece === "") continue;
    text += whole || text === "" ? piece : ` ${piece}`;
    whole = piece.length >= PIECE_LENGTH || piece.endsWith(" ");
  }
  return text.trim();
}

/** The purpose of a payment, with its SEPA words where it has some. */
function ofPurpose(purpose: string, more: Info["more"]): Omit<Info, "lines"> {
  const [before = "", ...parts] = purpose.split(SEPA);
  const words = new Map<string, string>();
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const text = (parts[at + 1] ?? "").trim();
    if (!NOTHING.test(text) && !words.has(parts[at] ?? "")) words.set(parts[at] ?? "", text);
  }
  const reference = words.get("EREF") ?? words.get("KREF");
  const description = [before.trim(), words.get("SVWZ")].filter(Boolean).join(" ");
  for (const [word, name] of Object.entries(SEPA_DETAILS)) more.push([name, words.get(word)]);
  if (words.has("IBAN")) more.push(["counterparty_account", words.get("IBAN")]);
  if (words.has("BIC")) more.push(["counterparty_bank", words.get("BIC")]);
  return { ...(reference && { reference }), ...(description && { description }), more };
}

function ofSlashes(text: string): Omit<Info, "lines"> {
  const words = new Map<string, string>();
  for (const [, code = "", value = ""] of text.matchAll(SLASH_PARTS)) {
    const trimmed = value.replace(/^\/+|\/+$/g, "").trim();
    if (!NOTHING.test(trimmed) && !words.has(code)) words.set(code, trimmed);
  }
  const get = (code: string) => words.get(code);
  // IBAN, BIC, name, city.
  const [account, bank, name] = get("CNTP")?.split("/") ?? [];
  const counterparty = get("NAME") ?? (name?.trim() || undefined);
  const [, structured, remittance = ""] = /^(?:USTD\/+|(STRD)\/(?:CUR|ISO)\/)?(.*)$/s.exec(get("REMI") ?? "") ?? [];
  const description = remittance.trim();
  const reference = get("EREF") ?? (structured && description) ?? get("CDTRREF") ?? get("PREF") ?? get("KREF");
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
