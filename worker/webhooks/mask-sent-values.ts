import { REDACTED } from "#lib/runtime/mask-secrets.ts";
import type { Outcome } from "#lib/webhooks/send.ts";

/** Shorter values aren't secrets, and occur in other texts. */
const MASKED_FROM_LENGTH = 8;

/**
 * Removes the values of headers from a response that is stored, because a receiver may echo the
 * request: whole, escaped as in JSON, or only the credential in a value. Which word of a value is
 * its credential can't be known, so each is removed.
 */
export function maskSentValues(outcome: Outcome, values: readonly string[]): Outcome {
  if (!("response_body" in outcome)) return outcome;
  const echoes = values
    .flatMap((value) => [value, ...value.split(/\s+/).flatMap(credentialsOf)])
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

/** The credentials that a word of a header may be or contain. */
function credentialsOf(word: string): string[] {
  const [, parameter = ""] = /^[\w-]+="?(.+?)"?[,;]?$/.exec(word) ?? [];
  // The user and the password of `Basic`. An API key may be either.
  const decoded = Buffer.from(word, "base64").toString();
  const pair = decoded.includes(":") ? [decoded, ...decoded.split(/:(.*)/s)] : [];
  return [word, parameter, ...pair];
}
