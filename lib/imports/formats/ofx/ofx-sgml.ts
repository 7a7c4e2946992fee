import type { Reader } from "../reader.ts";
import { type Place, refuseFile } from "../refusal.ts";
import type { OfxStatements } from "./ofx-statements.ts";

/** The maximum length of a leaf. */
const TOKEN_MAX_LENGTH = 64 * 1024;
const ENTITIES: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
};

/** The start and end of comments and CDATA, which may contain `<`. */
const SECTIONS: [string, string][] = [
  ["!--", "-->"],
  ["![CDATA[", "]]>"],
];
const TAG_NAME = /^[/?!]?[A-Za-z]/;

/**
 * Reads the tags of OFX, as SGML or as XML: `<TAG>` opens an aggregate or, with text after it, is a
 * leaf, whose closing tag may be missing. `OfxStatements` knows which tags are aggregates.
 */
export function sgmlEvents(statements: OfxStatements): Reader {
  let buffer = "";
  let line = 1;
  let isHeader = true;
  /** The leaf whose text may continue after a `<` that begins no tag. */
  let leaf: { name: string; text: string } | undefined;

  /** Handles a tag and the text after it, up to the next tag. */
  function onToken(token: string): void {
    const place = { line };
    for (let at = token.indexOf("\n"); at >= 0; at = token.indexOf("\n", at + 1)) line++;
    if (isHeader) {
      isHeader = false;
      return;
    }
    const special = SECTIONS.find(([start]) => token.startsWith(start));
    if (special) {
      const [start, end] = special;
      const at = token.indexOf(end);
      if (leaf && start === "![CDATA[")
        leaf.text += token.slice(start.length, at) + decoded(token.slice(at + end.length));
      return;
    }
    if (!TAG_NAME.test(token)) {
      if (leaf) leaf.text += decoded(`<${token}`);
      return;
    }
    finishLeaf();
    if (token.startsWith("?")) return;
    if (token.startsWith("!"))
      throw refuseFile(
        place,
        null,
        "The file has a document type.",
        `<${token}`,
        "OFX without DOCTYPE",
      );
    const tagEnd = token.indexOf(">");
    if (tagEnd < 0)
      throw refuseFile(place, null, "A tag is not closed.", `<${token}`, '">" after the name');
    const [, slash, name = "", selfClosing] =
      /^(\/?)\s*(?:\w+:)?([^\s/]*).*?(\/?)$/s.exec(token.slice(0, tagEnd)) ?? [];
    onTag(name.toUpperCase(), slash === "/", selfClosing === "/", token.slice(tagEnd + 1), place);
  }

  function onTag(name: string, closes: boolean, isEmpty: boolean, text: string, place: Place) {
    if (closes) return statements.close(name, place);
    const isAggregate = statements.open(name, place);
    if (isAggregate && isEmpty) statements.close(name, place);
    if (!isAggregate && !isEmpty) leaf = { name, text: decoded(text) };
  }

  function finishLeaf(): void {
    if (leaf) statements.leaf(leaf.name, leaf.text.trim());
    leaf = undefined;
  }

  /** The end of the token that begins at `from`; -1 if it hasn't arrived yet. */
  function endOf(from: number): number {
    const special = SECTIONS.find(([start]) => buffer.startsWith(start, from));
    const inner = special ? buffer.indexOf(special[1], from) : from;
    return inner < 0 ? -1 : buffer.indexOf("<", inner);
  }

  return {
    read(text) {
      buffer += text;
      let from = 0;
      for (let at = endOf(from); at >= 0; at = endOf(from)) {
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
      finishLeaf();
      statements.end();
    },
  };
}

function decoded(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(
    /&(?:#(\d{1,6}|[xX][\dA-Fa-f]{1,5})|([a-z]{2,4}));/g,
    (whole, code?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      const point = Number(/^x/i.test(code ?? "") ? `0${code}` : code);
      return point > 31 && !(point >= 0xd800 && point <= 0xdfff)
        ? String.fromCodePoint(point)
        : whole;
    },
  );
}
