/**
 * The tags of MT940 and MT942. Within field 61 or 86, other tags are text: banks wrap it at 65
 * characters, so a line may begin with anything.
 */
const KNOWN_TAGS = /^(?:12|13D?|20|21|25P?|28C?|34F|60[FM]|61|62[FM]|64|65|86|90[CD])$/;
const TAG = /^:(\d{2}[A-Z]?):/;
/** A statement line, a balance or a total, however its tag was garbled. */
const MONEY = /^(?:\d{6}(?:\d{4}|\s{4})?\s*[RE]?[CD]|[CD]\s*\d{6}\s*[A-Z]{3}|\d{1,5}[A-Z]{3}\d)/;
const ENVELOPE = /^(?:-\}|\{[1-5S]:)/;
/** An end mark on the line of the last field, because gateways drop the line break before it. */
const STUCK_END = /-\}(?=$|[\s$\p{Cc}]|\{[1-5S]:)/u;
/** The tags that begin a message, even without :20:, and the tags that may follow each. */
const BEGINNINGS: Record<string, RegExp> = {
  "20": /^(?:21|25P?|28C?|13D?|34F|60[FM])$/,
  "21": /^(?:20|25P?|28C?)$/,
  "25": /^(?:20|28C?|13D?|34F|60[FM])$/,
  "25P": /^(?:20|28C?|13D?|34F|60[FM])$/,
  "28": /^(?:20|25P?|34F|60[FM])$/,
  "28C": /^(?:20|25P?|34F|60[FM])$/,
};

export type Mt940Handler = {
  field: (name: string, parts: string[], line: number) => void;
  /** @param type MT940's or MT942's number, if the envelope states it */
  beginEnvelope: (type: string | undefined) => void;
  endMessage: () => void;
  /** Whether a statement is open whose closing balance has not come yet. */
  isWithinStatement: () => boolean;
};

/** Joins lines into fields, whether the messages are in SWIFT envelopes (`{1:…}{4:`) or bare. */
export class Mt940Fields {
  /** Whether the message began with `{4:`, and so should end with `-}`. */
  inEnvelope = false;
  /** The tag of the field that is being read; empty outside of fields. */
  tag = "";
  line = 1;
  /** The length of the field in characters, including held lines. */
  length = 0;
  readonly #handler: Mt940Handler;
  #parts: string[] = [];
  /**
   * Lines that may begin another message or continue the text of field 86: the next tag decides.
   */
  #held: { name: string; texts: string[]; line: number } | undefined;
  /**
   * The number of preceding lines with only a dash, which may be text or the end of the message.
   */
  #dashes = 0;

  constructor(handler: Mt940Handler) {
    this.#handler = handler;
  }

  read(line: string, number: number) {
    const text = line.replace(/^\p{Cc}+/u, "");
    if (ENVELOPE.test(text)) return this.#envelope(text, number);
    const found = TAG.exec(text);
    const name = found?.[1] ?? this.tag;
    const end = text.includes("-}") ? STUCK_END.exec(text) : null;
    const isEnd =
      end !== null &&
      (this.inEnvelope || !this.#handler.isWithinStatement() || /^(?:6[2-5]|90)/.test(name));
    if (!isEnd) return this.#content(text, number);
    this.#content(text.slice(0, end.index), number);
    this.#envelope(text.slice(end.index), number);
  }

  end(): void {
    this.#appendHeld();
    this.#finish();
  }

  #envelope(text: string, number: number): void {
    this.end();
    this.#dashes = 0;
    this.#handler.endMessage();
    const body = text.lastIndexOf("{4:");
    this.inEnvelope = body >= 0;
    if (!this.inEnvelope) return;
    this.#handler.beginEnvelope(/\{2:[IO](\d{3})/.exec(text)?.[1]);
    const rest = text.slice(body + 3);
    if (rest !== "") this.#content(rest, number);
  }

  #content(text: string, number: number) {
    const bare = text.trim();
    if (bare === "-") {
      if (this.#isText() && this.#handler.isWithinStatement()) this.#dashes++;
      else this.#endMessage();
      return;
    }
    const found = TAG.exec(text);
    if (this.#dashes > 0 && !this.#settleDashes(bare, found?.[1])) return;
    const [start = "", name = ""] = found ?? [];
    if (!found || !this.#isField(name, text.slice(start.length))) return this.#append(text);
    const held = this.#held;
    if (held && BEGINNINGS[held.name]?.test(name)) {
      this.#held = undefined;
      this.#finish();
      this.#begin(held.name, held.texts, held.line);
    } else this.#appendHeld();
    if (this.#isText() && name in BEGINNINGS && this.#handler.isWithinStatement()) {
      this.#held = { name, texts: [text], line: number };
      this.length += text.length + 1;
      return;
    }
    this.#finish();
    this.#begin(name, [text], number);
  }

  /**
   * Decides whether the preceding dashes are text or the end of the message.
   * @returns whether to read the line; a blank one decides nothing
   */
  #settleDashes(bare: string, name: string | undefined): boolean {
    if (bare === "") return false;
    const dashes = this.#dashes;
    this.#dashes = 0;
    if (name !== undefined && name in BEGINNINGS) this.#endMessage();
    else for (let nth = 0; nth < dashes; nth++) this.#append("-");
    return true;
  }

  #isText(): boolean {
    return this.tag === "86" || this.tag === "61";
  }

  #isField(name: string, content: string): boolean {
    if (!this.#isText()) return true;
    // Field 13 precedes the lines.
    if (/^1[23]/.test(name)) return !this.#handler.isWithinStatement();
    if (name === "61") return /\d{4}|\d,/.test(content);
    // A time of day may look like a tag of two digits, never like :65F:.
    return KNOWN_TAGS.test(name) || /^[69]\d[A-Z]$/.test(name) || MONEY.test(content);
  }

  #append(text: string): void {
    if (this.tag === "") return;
    this.length += text.length + 1;
    (this.#held?.texts ?? this.#parts).push(text);
  }

  #appendHeld(): void {
    if (this.#held) this.#parts.push(...this.#held.texts);
    this.#held = undefined;
  }

  /** @param texts The first begins with the tag. */
  #begin(name: string, [first = "", ...more]: string[], line: number): void {
    this.tag = name;
    this.#parts = [first.slice(name.length + 2), ...more];
    this.length = more.reduce((sum, text) => sum + text.length + 1, 0);
    this.line = line;
  }

  #endMessage(): void {
    this.end();
    this.#handler.endMessage();
  }

  #finish(): void {
    const name = this.tag;
    this.tag = "";
    if (name !== "") this.#handler.field(name, this.#parts, this.line);
  }
}
