import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getMeContract } from "#lib/tenants/contract.ts";
import { getMe } from "#lib/tenants/get-me.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getMeContract, ({ ctx }) => getMe(ctx)),
);
