import { z } from "zod";
import { text, timestamp } from "../../wire/schema.ts";
import { findCredentials } from "./find-credentials.ts";

/** How a page shows and edits a field. */
export type FieldInput = "line" | "text" | "markdown" | "switch" | "time" | "object";

/** `schema` is the field on the wire; `check` is an additional rule for new values. */
export type Field = {
  label: string;
  input: FieldInput;
  schema: z.ZodType;
  check?: z.core.$ZodCheck<unknown>;
};

/**
 * A generic record surface. Its contracts, routes, scopes, OpenAPI and pages follow from this
 * declaration. Fields that it doesn't declare are stored as sent.
 */
export type Surface<Path extends string = string> = {
  /** The name in paths and scopes: /v1/<path>, read:<path>. */
  path: Path;
  /** The name of the surface, and the singular noun of a record. */
  title: string;
  noun: string;
  description: string;
  /**
   * Whether the publishable key can read records whose `published` is true; the policy
   * `records_read_published` enforces it.
   */
  public: boolean;
  fields: Record<string, Field>;
  /** The field that names a record, then the other columns of a list. */
  columns: readonly [heading: string, ...others: string[]];
  /** The example record in the documentation. */
  example: Record<string, unknown>;
};

export function surface<const Path extends string>(declared: Surface<Path>): Surface<Path> {
  return declared;
}

const LINE_MAX = 200;
const TEXT_MAX = 20_000;
const MARKDOWN_MAX = 50_000;

export function line(label: string, max = LINE_MAX): Field {
  return { label, input: "line", schema: text(max) };
}

export function prose(label: string): Field {
  return { label, input: "text", schema: z.string().max(TEXT_MAX) };
}

export function markdown(label: string): Field {
  return {
    label,
    input: "markdown",
    schema: z.string().max(MARKDOWN_MAX).meta({ description: "Markdown." }),
  };
}

export function flag(label: string): Field {
  return { label, input: "switch", schema: z.boolean() };
}

export function moment(label: string): Field {
  return { label, input: "time", schema: timestamp };
}

/** A JSON object that must not contain a credential. */
export function settings(label: string): Field {
  return {
    label,
    input: "object",
    schema: z
      .record(z.string(), z.unknown())
      .meta({ description: "Any JSON object. Values that look like credentials are rejected." }),
    check: z.superRefine((value, context) => {
      for (const path of findCredentials(value)) {
        context.addIssue({
          code: "custom",
          path,
          input: value,
          message:
            "This looks like a credential. Keep it in a secret store and send only its name, " +
            "for example as secret_ref.",
        });
      }
    }),
  };
}
