import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getProofContract } from "#lib/matching/periods/contract.ts";
import { getProof } from "#lib/matching/periods/get-proof.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getProofContract, ({ ctx, params }) => getProof(ctx, params.id)),
);
