import { RECORD_MAX_LENGTH } from "../../wire/csv-records.ts";
import type { LineCollector } from "./line-collector.ts";
import type { Delimiter, Mapping } from "./mapping.ts";
import type { Statement } from "./statement.ts";

/**
 * Reads one format: takes the file's text piece by piece, and puts lines, refusals and statements
 * into `out`.
 */
export type Reader = {
  /** @throws FileRefused if nothing valid can follow. */
  read: (text: string) => void;
  /** @throws FileRefused for a truncated file. */
  end: () => void;
};

/** The context of a reader. */
export type Reading = {
  out: LineCollector;
  /** The source's currency, for lines that name none. */
  currency: string | undefined;
  /** IANA name: a time in UTC falls on the day in this zone. */
  timeZone: string;
  mapping: Mapping | undefined;
  /** For CSV: from the mapping, or detected from the start of the file. */
  delimiter: Delimiter;
  /** For CSV whose rows state opening and closing balances: checks them. */
  statement?: Statement;
};

/**
 * The maximum length of a line in a line-based file, and of a record of CSV. Valid ones stay below
 * a hundredth of it.
 */
export const LINE_MAX_LENGTH = RECORD_MAX_LENGTH;

/**
 * How much of a file `detect` needs; `readLines` reads this much ahead to detect encoding and
 * delimiter.
 */
export const HEAD_BYTES = 64 * 1024;
