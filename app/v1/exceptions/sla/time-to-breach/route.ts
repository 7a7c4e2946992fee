import { getTimeToBreachContract } from "#lib/exceptions/sla/contract.ts";
import { getTimeToBreach } from "#lib/exceptions/sla/get-time-to-breach.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getTimeToBreachContract, ({ ctx }) => getTimeToBreach(ctx)),
);
