import { sgmlEvents } from "./ofx-sgml.ts";
import { OfxStatements } from "./ofx-statements.ts";
import type { Reader, Reading } from "./reader.ts";
import { refuseFile } from "./refusal.ts";
import { xmlEvents } from "./xml-events.ts";

/** The header is a few lines. */
const HEADER_MAX_LENGTH = 16 * 1024;

/**
 * OFX 1 (SGML, whose leaves are not closed) and OFX 2 (XML): bank, credit card and brokerage cash statements. FITID, unique within an
 * account, is the line's external_id after the account's number. The day is the one that is written, whatever time zone follows it.
 * @throws FileRefused for a file without `</OFX>` or without a statement
 */
export function readOfx(reading: Reading): Reader {
  let header = "";
  let reader: Reader | undefined;

  function begin(): void {
    const statements = new OfxStatements(reading);
    // XML has a declaration; of SGML, keywords stand before the first tag.
    const isXml = /^\s*<\?(?:xml|OFX)\b/i.test(header) || /^\s*<!DOCTYPE/i.test(header);
    reader = isXml ? xmlReader(statements) : sgmlEvents(statements);
    reader.read(header);
  }

  return {
    read(text) {
      if (reader) return reader.read(text);
      header += text;
      if (/<OFX[\s>]/i.test(header) || header.length > HEADER_MAX_LENGTH) begin();
    },
    end() {
      if (!reader)
        throw refuseFile(
          { line: 1 },
          null,
          "The file has no OFX.",
          header.slice(0, 80),
          "<OFX> after the header",
        );
      reader.end();
    },
  };
}

function xmlReader(statements: OfxStatements): Reader {
  let leaf: string | undefined;
  let text = "";
  const names: string[] = [];
  return xmlEvents({
    open(tag, place) {
      const name = tag.local.toUpperCase();
      names.push(name);
      leaf = statements.open(name, place()) ? undefined : name;
      text = "";
    },
    text(part) {
      if (leaf !== undefined) text += part;
    },
    close() {
      const name = names.pop() ?? "";
      if (leaf === name) statements.leaf(name, text.trim());
      else statements.close(name, { line: 1 });
      leaf = undefined;
    },
    end: () => statements.end(),
  });
}
