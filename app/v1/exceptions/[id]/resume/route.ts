import { resumeExceptionContract } from "#lib/exceptions/pauses/contract.ts";
import { resumeException } from "#lib/exceptions/pauses/resume-exception.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(resumeExceptionContract, ({ ctx, params }) => resumeException(ctx, params.id)),
);
