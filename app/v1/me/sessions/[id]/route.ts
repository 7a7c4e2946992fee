import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { endSessionContract } from "#lib/sessions/contract.ts";
import { endSession } from "#lib/sessions/end-session.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(endpoint(endSessionContract, ({ ctx, params }) => endSession(ctx, params)));
