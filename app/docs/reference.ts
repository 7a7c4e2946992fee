import { type Reference, referenceOf } from "#components/docs/reference/reference.ts";
import { openApiDocument } from "#lib/openapi/document.ts";
import { moveExamples } from "#lib/openapi/move-examples.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";

/** Building it takes 0.1 s; the deadlines of its examples are half an hour ahead. */
const FRESH_MS = 5 * 60_000;

let cached: { at: number; reference: Reference } | undefined;

/** The reference, with examples as of now. */
export function reference(): Reference {
  const now = Date.now();
  if (!cached || now - cached.at > FRESH_MS) cached = { at: now, reference: build(now) };
  return cached.reference;
}

function build(now: number): Reference {
  const document = moveExamples(openApiDocument(), now);
  return referenceOf(document as unknown as Parameters<typeof referenceOf>[0], CONTRACTS);
}
