import { listSourcesContract } from "#lib/sources/contract.ts";
import { resourceKey, singleQuery } from "./query.ts";
import { queryOf } from "./search-params.ts";

const NAMED_MAX = 200;
const MAX_SEARCH_LENGTH = 200;

/** The newest sources by name, to choose from. `q` filters by words of the name. */
export function sourcesNamed(tenant: string, q: string) {
  return singleQuery({
    keyPrefix: resourceKey(tenant, "sources"),
    contract: listSourcesContract,
    call: { tenant, query: queryOf({ q: q.trim().slice(0, MAX_SEARCH_LENGTH), limit: NAMED_MAX }) },
  });
}
