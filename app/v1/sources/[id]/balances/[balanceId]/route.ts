import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { removeSourceBalanceContract } from "#lib/sources/balances/contract.ts";
import { removeSourceBalance } from "#lib/sources/balances/remove-source-balance.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(removeSourceBalanceContract, ({ ctx, params }) =>
    removeSourceBalance(ctx, params.id, params.balanceId),
  ),
);
