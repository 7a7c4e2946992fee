import { readFile } from "node:fs/promises";
import { join } from "node:path";

export const DOCUMENT = join(import.meta.dirname, "../../../openapi.json");

/** The parts of a JSON Schema that the SDK generators read. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};
export type Parameter = {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
};
type Media = Record<string, { schema: Schema }>;
export type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Media };
  responses: Record<string, { content?: Media }>;
};
export type Document = {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: { requestBody: { content: Media } } }>;
  components: {
    parameters: Record<string, Parameter>;
    responses?: Record<string, { content?: Media }>;
    schemas: Record<string, Schema>;
  };
};

/** The OpenAPI document from which the SDKs are generated. */
export async function readDocument(): Promise<Document> {
  return JSON.parse(await readFile(DOCUMENT, "utf8"));
}
