import { ApiError } from "../wire/errors.ts";
import { PRODUCT_ID } from "../wire/product.ts";

/** `challenge` names what the caller lacks, in the terms of RFC 6750 and RFC 9470. */
export function unauthenticated(detail: string, challenge = "", cause?: Error): ApiError {
  return new ApiError("unauthenticated", detail, {
    cause,
    headers: { "WWW-Authenticate": `Bearer realm="${PRODUCT_ID}"${challenge}` },
  });
}

/**
 * The challenge to a bearer credential that is not accepted (RFC 6750, 3.1). Without a reason, it
 * is the same for every credential that nobody issued.
 */
export function invalidToken(reason?: string): string {
  return `, error="invalid_token"${reason === undefined ? "" : `, error_description="${reason}"`}`;
}
