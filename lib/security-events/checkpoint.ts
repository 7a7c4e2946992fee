import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { z } from "zod";
import { env } from "../runtime/env.ts";

/** A signed state: up to `seq` the chain had this hash (`head`), or all up to `seq` was forgotten in its time (`prefix`). */
export const checkpoint = z.object({
  kind: z.enum(["head", "prefix"]),
  seq: z.int(),
  hash: z.string(),
  at: z.string(),
  key_id: z.string(),
  signature: z.string(),
});
export type Checkpoint = z.output<typeof checkpoint>;

type Signed = Omit<Checkpoint, "key_id" | "signature">;

/** RFC 8410: what stands before the 32 bytes of an Ed25519 private key in PKCS #8. */
const PKCS8_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");

type SigningKey = { id: string; privateKey: KeyObject; publicKey: KeyObject };

let keys: SigningKey[] | undefined;

/** By the newest of AUDIT_SIGNING_KEY. */
export function signCheckpoint(chain: string, state: Signed): Checkpoint {
  const [newest] = signingKeys();
  if (!newest) throw new Error("AUDIT_SIGNING_KEY is empty.");
  return { ...state, key_id: newest.id, signature: sign(null, messageOf(chain, state), newest.privateKey).toString("base64url") };
}

/** Whether one of our keys signed this; `unknown_key` where none of AUDIT_SIGNING_KEY has its id. */
export function verifyCheckpoint(chain: string, signed: Checkpoint): "valid" | "forged" | "unknown_key" {
  const key = signingKeys().find(({ id }) => id === signed.key_id);
  if (!key) return "unknown_key";
  return verify(null, messageOf(chain, signed), key.publicKey, Buffer.from(signed.signature, "base64url")) ? "valid" : "forged";
}

/** The public keys, newest first, as PEM. */
export function publicKeys(): { id: string; pem: string }[] {
  return signingKeys().map(({ id, publicKey }) => ({ id, pem: publicKey.export({ type: "spki", format: "pem" }).toString() }));
}

function messageOf(chain: string, { kind, seq, hash, at }: Signed): Buffer {
  return Buffer.from(JSON.stringify(["tieout.security_event_checkpoint.v1", kind, chain, seq, hash, at]));
}

function signingKeys(): SigningKey[] {
  keys ??= env().AUDIT_SIGNING_KEY.map((seed) => {
    const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: "der", type: "pkcs8" });
    const publicKey = createPublicKey(privateKey);
    const id = createHash("sha256")
      .update(publicKey.export({ type: "spki", format: "der" }))
      .digest("hex")
      .slice(0, 16);
    return { id, privateKey, publicKey };
  });
  return keys;
}
