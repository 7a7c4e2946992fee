import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getChecklistContract } from "#lib/matching/sign-off/contract.ts";
import { getChecklist } from "#lib/matching/sign-off/get-checklist.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getChecklistContract, ({ ctx, params }) => getChecklist(ctx, params.id)),
);
