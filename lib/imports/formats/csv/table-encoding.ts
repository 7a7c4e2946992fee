import { decoderOf } from "../encoding.ts";
import type { Delimiter, Encoding } from "../mapping.ts";
import { rowsOf } from "./csv-layout.ts";
import { fieldsForName } from "./csv-words.ts";

const MAX_HEADER_ROWS = 50;
/** Currencies of countries whose programs write Windows-1250. */
const CENTRAL_EUROPEAN = new Set("BAM CZK HUF PLN RON RSD".split(" "));

/**
 * The encoding of a table that was detected as Windows-1252. It is Windows-1250 if more column
 * names are known in that encoding, or if as many are and the currency is Central European.
 */
export function tableEncoding(
  head: Uint8Array,
  detected: Encoding,
  delimiter: Delimiter,
  currency: string,
): Encoding {
  if (detected !== "windows-1252") return detected;
  const [western, central] = (["windows-1252", "windows-1250"] as const).map((encoding) =>
    decoderOf(encoding).decode(head),
  );
  if (western === central) return detected;
  const [inWestern = 0, inCentral = 0] = [western, central].map((text) =>
    knownNames(text ?? "", delimiter),
  );
  const isCentral =
    inCentral > inWestern || (inCentral === inWestern && CENTRAL_EUROPEAN.has(currency));
  return isCentral ? "windows-1250" : detected;
}

/** The highest number of known column names in a row. */
function knownNames(text: string, delimiter: Delimiter): number {
  const rows = rowsOf(text, delimiter, undefined, true).slice(0, MAX_HEADER_ROWS);
  return Math.max(
    0,
    ...rows.map(({ cells }) => cells.filter((cell) => fieldsForName(cell).length > 0).length),
  );
}
