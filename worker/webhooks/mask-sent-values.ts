import { REDACTED } from "#lib/runtime/mask-secrets.ts";
import type { Outcome } from "#lib/webhooks/send.ts";

/** Shorter values aren't secrets, and occur in other texts. */
const MASKED_FROM_LENGTH = 8;

/**
 * Removes the values of headers from a response that is stored, because a receiver may echo the
 * request: whole, escaped as in JSON, or only the credential behind a scheme such as `Basic`.
 */
export function maskSentValues(outcome: Outcome, values: readonly string[]): Outcome {
  if (!("response_body" in outcome)) return outcome;
  const echoes = values
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
    .filter((value) => value.length >= MASKED_FROM_LENGTH)
    .toSorted((one, other) => other.length - one.length);
  const masked = (text: string) =>
    echoes.reduce((rest, value) => rest.replaceAll(value, REDACTED), text);
  return {
    ...outcome,
    response_body: masked(outcome.response_body),
    response_headers: Object.fromEntries(
      Object.entries(outcome.response_headers).map(([name, value]) => [name, masked(value)]),
    ),
  };
}
