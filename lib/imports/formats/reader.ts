import type { LineCollector } from "./line-collector.ts";
import type { Delimiter, Mapping } from "./mapping.ts";
import type { Statement } from "./statement.ts";

/**
 * Reads one format: is given the file's text piece by piece, and puts lines, refusals and
 * statements into `out`.
 */
export type Reader = {
  /** @throws FileRefused where nothing sound can follow. */
  read: (text: string) => void;
  /** @throws FileRefused for a file that was cut. */
  end: () => void;
};

/** What a reader is given. */
export type Reading = {
  out: LineCollector;
  /** The source's currency, for lines that name none. */
  currency: string | undefined;
  /** IANA name: the day of a time in UTC is the day there. */
  timeZone: string;
  mapping: Mapping | undefined;
  /** Of CSV: the mapping's, or what the file's beginning shows. */
  delimiter: Delimiter;
  /** Of CSV whose rows say opening and closing balances: what they are checked with. */
  statement?: Statement;
};

/**
 * Longest line of a line-based file, and longest record of CSV. A sound one has a hundredth of it.
 */
export const LINE_MAX_LENGTH = 256 * 1024;

/**
 * As much of a file as `detect` should be given, and as `readLines` looks at to find out encoding
 * and delimiter.
 */
export const HEAD_BYTES = 64 * 1024;
