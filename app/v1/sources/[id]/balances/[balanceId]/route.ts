import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import {
  getSourceBalanceContract,
  removeSourceBalanceContract,
} from "#lib/sources/balances/contract.ts";
import { getSourceBalance } from "#lib/sources/balances/get-source-balance.ts";
import { removeSourceBalance } from "#lib/sources/balances/remove-source-balance.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getSourceBalanceContract, ({ ctx, params }) =>
    getSourceBalance(ctx, params.id, params.balanceId),
  ),
  endpoint(removeSourceBalanceContract, ({ ctx, params }) =>
    removeSourceBalance(ctx, params.id, params.balanceId),
  ),
);
