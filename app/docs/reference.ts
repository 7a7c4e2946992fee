import { referenceOf } from "#components/docs/reference/reference.ts";
import { openApiDocument } from "#lib/openapi/document.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";

/** The reference, once for the process, out of the document that /v1/openapi.json serves. */
export const reference = referenceOf(
  openApiDocument() as unknown as Parameters<typeof referenceOf>[0],
  CONTRACTS,
);
