import { createParser, type inferParserType, parseAsBoolean, parseAsStringLiteral } from "nuqs/server";
import { parseAsId } from "#components/kit/search-params.ts";
import { API_KEY_STATUSES } from "#lib/api-keys/contract.ts";

const LONGEST = 120;

/** The address of the page: the names of the query of GET /v1/tenants/{id}/api-keys, the key that is open, and whether one is being made. */
export const apiKeySearch = {
  q: createParser({ parse: (text) => withoutSecret(text) || null, serialize: String }),
  status: parseAsStringLiteral(API_KEY_STATUSES),
  new: parseAsBoolean.withDefault(false),
  key: parseAsId("key"),
};

export type ApiKeySearch = inferParserType<typeof apiKeySearch>;

/** Who pastes a whole credential looks for its key: the secret goes neither into the address nor over the wire. */
export function withoutSecret(text: string): string {
  return text.replace(/\.?tks_\S*/g, "").slice(0, LONGEST);
}
