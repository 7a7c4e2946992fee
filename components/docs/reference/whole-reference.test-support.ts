import { openApiDocument } from "#lib/openapi/document.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import { type Operation, type Reference, referenceOf } from "./reference.ts";

/** The reference of the whole API. */
export function wholeReference(document: object = openApiDocument()): Reference {
  return referenceOf(document, CONTRACTS);
}

/** The operations of the whole API, in the order of the reference. */
export function allOperations(document?: object): Operation[] {
  return wholeReference(document).resources.flatMap(({ operations }) => operations);
}
