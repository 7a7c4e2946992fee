import type { Line } from "../../lines.ts";

/** A line whose texts are strings, known by its identity. */
export type DatasetLine = Omit<
  Line,
  "handle" | "identity" | "reference" | "counterparty" | "description" | "group_key"
> & {
  identity: string;
  reference?: string | null;
  counterparty?: string | null;
  description?: string | null;
  group_key?: string | null;
};

/**
 * Lines that belong together, by identity; both sides of one, or several of one side that cancel.
 */
export type TrueMatch = { kind: string; left: string[]; right: string[] };

export type Dataset = {
  name: string;
  left: DatasetLine[];
  right: DatasetLine[];
  truth: TrueMatch[];
};
