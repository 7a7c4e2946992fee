import { REDACTED } from "#lib/runtime/mask-secrets.ts";
import type { Outcome } from "#lib/webhooks/send.ts";

/** Shorter values aren't secrets, and occur in other texts. */
const MIN_MASKED_LENGTH = 8;

/**
 * Removes the values of sent headers from a response before it is stored, because a receiver may
 * echo them: whole, escaped as in JSON, or only the credential in a value. It isn't known which
 * word of a value is the credential, so each word is removed.
 */
export function maskSentValues(outcome: Outcome, values: readonly string[]): Outcome {
  if (!("response_body" in outcome)) return outcome;
  const echoes = values
    .flatMap((value) => [value, ...value.split(/\s+/).flatMap(credentialsOf)])
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
    .filter((value) => value.length >= MIN_MASKED_LENGTH)
    .toSorted((one, other) => other.length - one.length);
  const mask = (text: string) =>
    echoes.reduce((rest, value) => rest.replaceAll(value, REDACTED), text);
  return {
    ...outcome,
    response_body: mask(outcome.response_body),
    response_headers: Object.fromEntries(
      Object.entries(outcome.response_headers).map(([name, value]) => [name, mask(value)]),
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
