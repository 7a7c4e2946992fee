import { ApiError } from "../wire/errors.ts";
import { PRODUCT_ID } from "../wire/product.ts";

/** `challenge` names what the caller lacks, in the terms of RFC 6750 and RFC 9470. */
export function unauthenticated(detail: string, challenge = "", cause?: Error): ApiError {
  return new ApiError("unauthenticated", detail, {
    cause,
    headers: { "WWW-Authenticate": `Bearer realm="${PRODUCT_ID}"${challenge}` },
  });
}
