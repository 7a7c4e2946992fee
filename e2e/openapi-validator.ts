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

/** Builds a JSON pointer from its parts. */
export function pointerTo(...parts: string[]): string {
  return [
    "#",
    ...parts.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))),
  ].join("/");
}
