import type { OfxStatements } from "./ofx-statements.ts";
import type { Reader } from "./reader.ts";
import { refuseFile } from "./refusal.ts";

/** Longest leaf. */
const TOKEN_MAX_LENGTH = 64 * 1024;
const ENTITIES: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
};

/**
 * The SGML of OFX 1: `<TAG>` opens an aggregate or, with text after it, is a leaf that may or may not be closed. What is which, the
 * statements know.
 */
export function sgmlEvents(statements: OfxStatements): Reader {
  let buffer = "";
  let line = 1;
  let isHeader = true;

  /** A tag and the text after it, up to the next one. */
  function onToken(token: string): void {
    const place = { line };
    for (let at = token.indexOf("\n"); at >= 0; at = token.indexOf("\n", at + 1)) line++;
    if (isHeader) {
      isHeader = false;
      return;
    }
    if (token.startsWith("!--")) return;
    if (token.startsWith("!"))
      throw refuseFile(
        place,
        null,
        "The file has a document type.",
        `<${token}`,
        "OFX without DOCTYPE",
      );
    const closes = token.indexOf(">");
    if (closes < 0)
      throw refuseFile(place, null, "A tag is not closed.", `<${token}`, '">" after the name');
    const name = token.slice(0, closes).trim().toUpperCase();
    const text = token.slice(closes + 1).trim();
    if (name.startsWith("/")) statements.close(name.slice(1).trim(), place);
    else if (!statements.open(name, place)) statements.leaf(name, decoded(text));
  }

  return {
    read(text) {
      buffer += text;
      let from = 0;
      for (let at = buffer.indexOf("<"); at >= 0; at = buffer.indexOf("<", from)) {
        onToken(buffer.slice(from, at));
        from = at + 1;
      }
      buffer = buffer.slice(from);
      if (buffer.length > TOKEN_MAX_LENGTH)
        throw refuseFile(
          { line },
          null,
          "A text is too long.",
          "",
          `at most ${TOKEN_MAX_LENGTH} characters`,
        );
    },
    end() {
      onToken(buffer);
      statements.end();
    },
  };
}

function decoded(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,6})|([a-z]{2,4}));/g, (whole, code?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const point = Number(code);
    return point > 31 && !(point >= 0xd800 && point <= 0xdfff)
      ? String.fromCodePoint(point)
      : whole;
  });
}
