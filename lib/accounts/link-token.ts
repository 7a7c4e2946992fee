import { hash, randomBytes } from "node:crypto";

const BYTES = 32;

/** What makes a mailed link its recipient's: 256 random bits. Only the mail has it. */
export function newLinkToken(): string {
  return randomBytes(BYTES).toString("base64url");
}

/** What is kept of it, and looked up by: SHA-256, hexadecimal. */
export function linkTokenHash(token: string): string {
  return hash("sha256", token, "hex");
}
