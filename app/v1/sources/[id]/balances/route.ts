import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import {
  listSourceBalancesContract,
  stateSourceBalanceContract,
} from "#lib/sources/balances/contract.ts";
import { listSourceBalances } from "#lib/sources/balances/list-source-balances.ts";
import { stateSourceBalance } from "#lib/sources/balances/state-source-balance.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listSourceBalancesContract, ({ ctx, params, query }) =>
    listSourceBalances(ctx, params.id, query),
  ),
  endpoint(stateSourceBalanceContract, ({ ctx, params, body }) =>
    stateSourceBalance(ctx, params.id, body),
  ),
);
