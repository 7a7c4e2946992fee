import { getEvidenceContract, removeEvidenceContract } from "#lib/evidence/contract.ts";
import { getEvidence } from "#lib/evidence/get-evidence.ts";
import { removeEvidence } from "#lib/evidence/remove-evidence.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getEvidenceContract, ({ ctx, params }) => getEvidence(ctx, params.id)),
  endpoint(removeEvidenceContract, ({ ctx, params, body }) =>
    removeEvidence(ctx, params.id, body.reason),
  ),
);
