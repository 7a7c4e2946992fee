import type { Definitions, Schema } from "./schema.ts";

/** The parts of an OpenAPI document that the reference reads. */
export type Document = {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, DocumentOperation>>;
  webhooks: Record<string, { post: DocumentOperation }>;
  components: { schemas: Definitions };
};

export type DocumentOperation = {
  summary: string;
  parameters?: Reference<Parameter>[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Reference<DocumentResponse>>;
};

export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  schema: Schema;
  description?: string;
};
export type Media = {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { summary: string; value: Problem }>;
};
export type DocumentResponse = {
  headers?: Record<string, Reference<Header>>;
  content?: Record<string, Media>;
};
export type Header = { description: string; required?: boolean };
export type Problem = { type: string; title: string; status: number; code: string } & Record<
  string,
  unknown
>;

type Reference<Value> = Value | { $ref: string };

/** Resolves a reference in the document. */
export function partOf<Value extends object>(given: Reference<Value>, document: Document): Value {
  if (!("$ref" in given)) return given;
  const path = given.$ref.split("/").slice(1);
  return path.reduce(
    (part, key) => (part as Record<string, unknown>)[key] as object,
    document as object,
  ) as Value;
}
