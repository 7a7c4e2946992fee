import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { undoDecisionContract } from "#lib/matching/workbench/contract.ts";
import { undoDecision } from "#lib/matching/workbench/undo-decision.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(undoDecisionContract, ({ ctx, params }) => undoDecision(ctx, params.id)),
);
