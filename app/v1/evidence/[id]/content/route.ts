import { getEvidenceContentContract } from "#lib/evidence/contract.ts";
import { getEvidenceContent } from "#lib/evidence/get-evidence-content.ts";
import { downloadEndpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  downloadEndpoint(getEvidenceContentContract, ({ ctx, params }) =>
    getEvidenceContent(ctx, params.id),
  ),
);
