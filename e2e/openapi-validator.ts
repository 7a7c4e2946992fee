import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** Validates a value by the schema at a JSON pointer of an OpenAPI document. Returns the errors. */
export type Validator = (
  pointer: string,
  value: unknown,
) => Pick<ErrorObject, "instancePath" | "message" | "params">[];

export function validatorOf(document: object): Validator {
  const ajv = addFormats
    .default(new Ajv2020({ strict: false, allErrors: true }))
    .addSchema(document, "openapi.json");
  return (pointer, value) => {
    const validate =
      ajv.getSchema(`openapi.json${pointer}`) ?? ajv.compile({ $ref: `openapi.json${pointer}` });
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }: ErrorObject) => ({
      instancePath,
      message,
      params,
    }));
  };
}

/**
 * The document with every object closed, for tests that a response has no field beyond the
 * documented ones. Clients accept such fields, because a later version may add them.
 */
export function closed<Value>(node: Value, isPart = false): Value {
  if (Array.isArray(node)) return node.map((item) => closed(item, isPart)) as Value;
  if (typeof node !== "object" || node === null) return node;
  const parts = Object.entries(node).map(([keyword, child]) => [
    keyword,
    keyword.startsWith("example") ? child : closed(child, keyword === "allOf"),
  ]);
  const isOpen = "properties" in node && !("additionalProperties" in node) && !isPart;
  return { ...Object.fromEntries(parts), ...(isOpen && { unevaluatedProperties: false }) };
}

/** Builds a JSON pointer from its parts. */
export function pointerTo(...parts: string[]): string {
  return [
    "#",
    ...parts.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))),
  ].join("/");
}
