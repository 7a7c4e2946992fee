import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * The format `<key_id>.<key_secret>`: `tk_` and 22 characters, a period, `tks_` (`tks_test_` in a
 * sandbox) and 43 characters that carry 256 random bits, then 6 characters of CRC-32 over the
 * secret before them, by which a scanner recognises a real key without a call.
 */
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const KEY_ID = "tk_[0-9A-Za-z]{22}";
const SECRET = "tks_(?:test_)?[0-9A-Za-z]{49}";
const CHECKSUM_LENGTH = 6;

/** The regular expression for secret scanners, published in the reference docs. */
export const SCANNER_PATTERN = `${KEY_ID}\\.${SECRET}`;

const CREDENTIAL = new RegExp(`^(${KEY_ID})\\.(${SECRET})$`);

export type ApiKeyCredential = { keyId: string; secret: string };

export function mintCredential(isTest = false): ApiKeyCredential {
  const body = `${isTest ? "tks_test_" : "tks_"}${base62(randomBytes(32), 43)}`;
  return { keyId: `tk_${base62(randomBytes(16), 22)}`, secret: body + checksum(body) };
}

/** Null for text that doesn't have the format of a credential or fails its checksum. */
export function parseCredential(text: string): ApiKeyCredential | null {
  const [, keyId, secret] = CREDENTIAL.exec(text) ?? [];
  if (!keyId || !secret) return null;
  return checksum(secret.slice(0, -CHECKSUM_LENGTH)) === secret.slice(-CHECKSUM_LENGTH)
    ? { keyId, secret }
    : null;
}

/**
 * Finds every credential and every secret without an ID in a text. `genuine` says whether the
 * checksum is right; no network or database is needed.
 */
export function findCredentials(text: string): { match: string; genuine: boolean }[] {
  const pattern = new RegExp(`(?:${KEY_ID}\\.)?${SECRET}`, "g");
  return [...text.matchAll(pattern)].map(([match]) => {
    const secret = match.slice(match.indexOf("tks_"));
    return {
      match,
      genuine: checksum(secret.slice(0, -CHECKSUM_LENGTH)) === secret.slice(-CHECKSUM_LENGTH),
    };
  });
}

/** SHA-256 in hex, the only stored form of a secret. 256 random bits need no slow hash. */
export function digestOf(secret: string): string {
  return hash("sha256", secret);
}

function checksum(body: string): string {
  let text = "";
  for (let rest = crc32(body); text.length < CHECKSUM_LENGTH; rest = Math.floor(rest / 62))
    text = ALPHABET[rest % 62] + text;
  return text;
}

function base62(bytes: Buffer, length: number): string {
  let rest = BigInt(`0x${bytes.toString("hex")}`);
  let text = "";
  for (; rest > 0n; rest /= 62n) text = ALPHABET[Number(rest % 62n)] + text;
  return text.padStart(length, "0");
}
