import type { Reader, Reading } from "../reader.ts";
import { refuseFile } from "../refusal.ts";
import { sgmlEvents } from "./ofx-sgml.ts";
import { OfxStatements } from "./ofx-statements.ts";

/** The maximum length of the header, which has only a few lines. */
const HEADER_MAX_LENGTH = 16 * 1024;

/**
 * OFX 1 (SGML, whose leaves are not closed) and OFX 2 (XML): bank, credit card and brokerage cash
 * statements. The body is read in the same way for both headers, because banks combine either
 * header with either body, and write XML with a bare `&`. FITID, unique within an account, is the
 * line's external_id after the account's number. The day is read as written, regardless of a time
 * zone after it.
 * @throws FileRefused for a file without `</OFX>` or without a statement
 */
export function readOfx(reading: Reading): Reader {
  const reader = sgmlEvents(new OfxStatements(reading));
  let header: string | undefined = "";
  return {
    read(text) {
      if (header === undefined) return reader.read(text);
      header += text;
      if (!/<(?:\w+:)?OFX[\s>]/i.test(header) && header.length <= HEADER_MAX_LENGTH) return;
      reader.read(header);
      header = undefined;
    },
    end() {
      if (header !== undefined)
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
