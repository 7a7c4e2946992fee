/** Why a line, or a whole file, was not read. */
export type Refusal = {
  /** Line of the file, from 1. */
  line: number;
  /** The character in that line, from 1: given for XML, whose lines can be long. */
  column?: number;
  /**
   * The field of an import line, or the format's own name of the place (`:61:`, `CdtDbtInd`, `49`).
   * Null for the line as a whole.
   */
  field: string | null;
  /** The file's text at that place, at most 80 characters. */
  found: string;
  /** The accepted values or form. */
  wanted: string;
  /** The whole refusal as a sentence for a person. */
  message: string;
};

export type Place = { line: number; column?: number };

const FOUND_MAX_LENGTH = 80;

/** @param problem A short sentence, for example "More decimals than JPY has." */
export function refusal(
  place: Place,
  field: string | null,
  problem: string,
  found: string,
  wanted: string,
): Refusal {
  const shown = shorten(found);
  const message = `${problem} Found ${shown === "" ? "nothing" : `"${shown}"`}, expected ${wanted}.`;
  return {
    line: place.line,
    ...(place.column !== undefined && { column: place.column }),
    field,
    found: shown,
    wanted,
    message,
  };
}

/** Thrown if a file can't be read further; nothing of it should be stored. */
export class FileRefused extends Error {
  readonly refusal: Refusal;

  constructor(reason: Refusal) {
    super(reason.message);
    this.name = "FileRefused";
    this.refusal = reason;
  }
}

export function refuseFile(
  place: Place,
  field: string | null,
  problem: string,
  found: string,
  wanted: string,
): FileRefused {
  return new FileRefused(refusal(place, field, problem, found, wanted));
}

function shorten(text: string): string {
  const cut = text.length > FOUND_MAX_LENGTH ? `${text.slice(0, FOUND_MAX_LENGTH - 1)}…` : text;
  return cut
    .toWellFormed()
    .replace(/\p{Cc}/gu, (control) => (control === "\t" ? "⇥" : control === "\n" ? "⏎" : "␀"));
}
