import { createParser, createSerializer, type inferParserType, parseAsBoolean, parseAsStringLiteral } from "nuqs/server";
import { API_KEY_STATUSES } from "#lib/api-keys/contract.ts";
import { API_KEYS } from "#lib/wire/facts.gen.ts";
import { idPattern } from "#lib/wire/schema.ts";

const ID = idPattern("key");

/** The address of the page: the names of the query of GET /v1/tenants/{id}/api-keys, the key that is open, and whether one is being made. */
export const apiKeySearch = {
  q: createParser({ parse: (text) => withoutSecret(text) || null, serialize: String }),
  status: parseAsStringLiteral(API_KEY_STATUSES),
  new: parseAsBoolean.withDefault(false),
  key: createParser({ parse: (id) => (ID.test(id) ? id : null), serialize: String }),
};

export type ApiKeySearch = inferParserType<typeof apiKeySearch>;

export const serializeApiKeySearch = createSerializer(apiKeySearch);

/** Who pastes a whole credential looks for its key: the secret goes neither into the address nor over the wire. */
export function withoutSecret(text: string): string {
  return text.replace(/\.?tks_\S*/g, "").slice(0, API_KEYS.name.most);
}
