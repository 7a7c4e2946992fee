import { randomBytes } from "node:crypto";
import { env } from "../runtime/env.ts";
import { invalidRequest } from "../wire/errors.ts";

/**
 * An address that nobody can guess, in the domain whose mail this installation receives.
 * @throws ApiError 400 if it receives no mail
 */
export function newMailAddress(): string {
  const { INBOX_DOMAIN } = env();
  if (INBOX_DOMAIN === undefined)
    throw invalidRequest([
      {
        path: "kind",
        message: "This installation receives no mail. Its operator can set INBOX_DOMAIN.",
      },
    ]);
  return `files-${randomBytes(10).toString("hex")}@${INBOX_DOMAIN}`;
}
