import { hash, randomBytes } from "node:crypto";

const BYTES = 32;

/** The token of a mailed link: 256 random bits. Only the mail contains it. */
export function newLinkToken(): string {
  return randomBytes(BYTES).toString("base64url");
}

/** The hash by which the token is stored and looked up: SHA-256 in hex. */
export function linkTokenHash(token: string): string {
  return hash("sha256", token, "hex");
}
