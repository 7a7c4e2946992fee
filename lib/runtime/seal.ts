import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  randomBytes,
  randomUUID,
} from "node:crypto";
import { workerEnv } from "./env.ts";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts so that decryption needs both `binding` and the server's key. The newest of
 * ENCRYPTION_KEYS encrypts; any of them decrypts.
 */
export function seal(plaintext: string, binding: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, derive(newestKey(), binding), nonce);
  return Buffer.concat([
    nonce,
    cipher.update(plaintext, "utf8"),
    cipher.final(),
    cipher.getAuthTag(),
  ]).toString("base64url");
}

/** @throws Error if the binding differs or none of the server's keys fits. */
export function unseal(sealed: string, binding: string): string {
  const bytes = Buffer.from(sealed, "base64url");
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(-TAG_BYTES);
  for (const key of workerEnv().ENCRYPTION_KEYS) {
    try {
      const decipher = createDecipheriv(ALGORITHM, derive(key, binding), nonce, {
        authTagLength: TAG_BYTES,
      });
      decipher.setAuthTag(tag);
      return (
        decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") +
        decipher.final("utf8")
      );
    } catch {
      // Sealed with another key: try the next one.
    }
  }
  throw new Error("None of ENCRYPTION_KEYS can decrypt this.");
}

/**
 * Encrypts values of one purpose, each for one tenant and one row, so that the database never sees
 * them. The new row's ID begins with `prefix`.
 */
export function rowSealer(purpose: string, prefix: string) {
  const bindingOf = (tenantId: string, id: string) => `${purpose}\n${tenantId}\n${id}`;
  /** @throws Error if none of the server's keys fits. */
  const unsealRow = (sealed: string, tenantId: string, id: string) =>
    unseal(sealed, bindingOf(tenantId, id));
  return {
    seal(plaintext: string, tenantId: string): { id: string; sealed: string } {
      const id = `${prefix}_${randomUUID().replaceAll("-", "")}`;
      return { id, sealed: seal(plaintext, bindingOf(tenantId, id)) };
    },
    unseal: unsealRow,
    /** Encrypts the same value with the newest server key. */
    reseal: (sealed: string, tenantId: string, id: string) =>
      seal(unsealRow(sealed, tenantId, id), bindingOf(tenantId, id)),
  };
}

function newestKey(): Buffer {
  const [newest] = workerEnv().ENCRYPTION_KEYS;
  if (!newest) throw new Error("ENCRYPTION_KEYS is empty.");
  return newest;
}

/**
 * HKDF's info takes at most 1024 bytes, and 255 characters can be more, so the binding's digest is
 * used.
 */
function derive(key: Buffer, binding: string): Buffer {
  return Buffer.from(
    hkdfSync("sha256", key, Buffer.alloc(0), createHash("sha256").update(binding).digest(), 32),
  );
}
