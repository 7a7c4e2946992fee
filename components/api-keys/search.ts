import {
  createParser,
  type inferParserType,
  parseAsBoolean,
  parseAsStringLiteral,
} from "nuqs/server";
import { parseAsId } from "#components/kit/search-params.ts";
import { API_KEY_STATUSES } from "#lib/api-keys/contract.ts";
import { API_KEYS } from "#lib/wire/facts.gen.ts";

/**
 * The state in the page's URL: the query of GET /v1/tenants/{id}/api-keys, the open key, and
 * whether one is being created.
 */
export const apiKeySearch = {
  q: createParser({ parse: (text) => withoutSecret(text) || null, serialize: String }),
  status: parseAsStringLiteral(API_KEY_STATUSES),
  new: parseAsBoolean.withDefault(false),
  key: parseAsId("key"),
};

export type ApiKeySearch = inferParserType<typeof apiKeySearch>;

/**
 * Searching for a pasted credential finds its key; the secret is cut off before it reaches the URL
 * or the server.
 */
export function withoutSecret(text: string): string {
  return text.replace(/\.?tks_\S*/g, "").slice(0, API_KEYS.name.max);
}
