import { ApiError } from "../wire/errors.ts";

/** `challenge`: what the caller lacks, in the words of RFC 6750 and RFC 9470. */
export function unauthenticated(detail: string, challenge = "", cause?: Error): ApiError {
  return new ApiError("unauthenticated", detail, {
    cause,
    headers: { "WWW-Authenticate": `Bearer realm="tieout"${challenge}` },
  });
}
