import { SaxesParser, type SaxesTagNS } from "saxes";
import type { Reader } from "../reader.ts";
import { type Place, refuseFile } from "../refusal.ts";

const MAX_DEPTH = 64;
/** The maximum length of a text, comment or tag. */
const TOKEN_MAX_LENGTH = 1024 * 1024;

export type XmlHandler = {
  open: (tag: SaxesTagNS, place: () => Place) => void;
  /** Text between tags, including the content of CDATA. */
  text: (text: string) => void;
  close: () => void;
  end: () => void;
};

/**
 * Reads XML as events. Document types are refused, and with them every entity except XML's five:
 * nothing expands, nothing is fetched.
 * @throws FileRefused for XML that is not well-formed, is truncated, is nested more than 64 levels
 *   deep, or has a text over 1 MiB
 */
export function xmlEvents(handler: XmlHandler): Reader {
  const parser = new SaxesParser({ xmlns: true });
  const place = (): Place => ({ line: parser.line, column: parser.column + 1 });
  let depth = 0;
  let sinceEvent = 0;

  parser.on("error", (error) => {
    // Prefixes of attributes such as xsi:schemaLocation don't matter.
    if (/unbound namespace prefix/.test(error.message)) return;
    throw refuseFile(
      place(),
      null,
      "The XML is not well-formed.",
      error.message.replace(/^[\d:]+ /, ""),
      "well-formed XML to the end of the file",
    );
  });
  parser.on("doctype", (doctype) => {
    throw refuseFile(
      place(),
      null,
      "The XML has a document type, which bank files never have.",
      doctype,
      "XML without DOCTYPE and entities",
    );
  });
  parser.on("opentag", (tag) => {
    sinceEvent = 0;
    if (++depth > MAX_DEPTH)
      throw refuseFile(
        place(),
        null,
        "The XML is nested too deep.",
        tag.name,
        `at most ${MAX_DEPTH} elements within each other`,
      );
    handler.open(tag, place);
  });
  parser.on("closetag", () => {
    sinceEvent = 0;
    depth--;
    handler.close();
  });
  parser.on("text", handler.text);
  parser.on("cdata", handler.text);

  return {
    read(text) {
      sinceEvent += text.length;
      parser.write(text);
      if (sinceEvent <= TOKEN_MAX_LENGTH) return;
      throw refuseFile(
        place(),
        null,
        "A text or tag of the XML is too long.",
        "",
        `at most ${TOKEN_MAX_LENGTH} characters`,
      );
    },
    end() {
      parser.close();
      handler.end();
    },
  };
}

/** An element with its content, for single entries and balances, never for the whole file. */
export class XmlNode {
  readonly name: string;
  /** The attribute Ccy of an amount. */
  readonly ccy: string | undefined;
  text = "";
  readonly children: XmlNode[] = [];

  constructor(name: string, ccy?: string) {
    this.name = name;
    this.ccy = ccy;
  }

  child(name: string): XmlNode | undefined {
    for (const node of this.children) if (node.name === name) return node;
    return undefined;
  }

  /** The first element at the path. */
  at(...path: string[]): XmlNode | undefined {
    let node: XmlNode | undefined = this;
    for (const name of path) node = node?.child(name);
    return node;
  }

  /** Its text, trimmed; undefined without text. */
  get(...path: string[]): string | undefined {
    return this.at(...path)?.text.trim() || undefined;
  }

  all(name: string): XmlNode[] {
    return this.children.filter((node) => node.name === name);
  }
}
