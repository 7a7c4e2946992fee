import { addEvidence } from "#lib/evidence/add-evidence.ts";
import { addEvidenceContract, listEvidenceContract } from "#lib/evidence/contract.ts";
import { listEvidence } from "#lib/evidence/list-evidence.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listEvidenceContract, ({ ctx, query }) => listEvidence(ctx, query)),
  endpoint(addEvidenceContract, ({ ctx, query, upload }) => addEvidence(ctx, query, upload)),
);
