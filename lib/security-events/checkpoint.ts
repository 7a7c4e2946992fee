import { sign, verify } from "node:crypto";
import { z } from "zod";
import { workerEnv } from "../runtime/env.ts";
import { privateKeyOf, publicBytesOf, type VerifyingKey, verifyingKeyOf } from "./signing-keys.ts";

/**
 * A signed state. `head`: at `seq`, the chain had this hash. `prefix`: all events up to `seq` were
 * purged after their retention time.
 */
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

let keys: VerifyingKey[] | undefined;

/** Signs with the newest of AUDIT_SIGNING_KEY. */
export function signCheckpoint(chain: string, state: Signed): Checkpoint {
  const [newest] = workerEnv().AUDIT_SIGNING_KEY;
  if (!newest) throw new Error("AUDIT_SIGNING_KEY is not set: this process does not sign.");
  const { id } = verifyingKeyOf(publicBytesOf(newest));
  return {
    ...state,
    key_id: id,
    signature: sign(null, messageOf(chain, state), privateKeyOf(newest)).toString("base64url"),
  };
}

/** Whether one of our keys signed this; `unknown_key` if none of ours has its ID. */
export function verifyCheckpoint(
  chain: string,
  signed: Checkpoint,
): "valid" | "forged" | "unknown_key" {
  const key = verifyingKeys().find(({ id }) => id === signed.key_id);
  if (!key) return "unknown_key";
  return verify(
    null,
    messageOf(chain, signed),
    key.publicKey,
    Buffer.from(signed.signature, "base64url"),
  )
    ? "valid"
    : "forged";
}

/** The public keys as PEM, newest first. */
export function publicKeys(): { id: string; pem: string }[] {
  return verifyingKeys().map(({ id, publicKey }) => ({
    id,
    pem: publicKey.export({ type: "spki", format: "pem" }).toString(),
  }));
}

function messageOf(chain: string, { kind, seq, hash, at }: Signed): Buffer {
  return Buffer.from(
    JSON.stringify(["tieout.security_event_checkpoint.v1", kind, chain, seq, hash, at]),
  );
}

/**
 * A process that signs derives the public keys from the private ones; one that only verifies is
 * configured with them.
 */
function verifyingKeys(): VerifyingKey[] {
  const { AUDIT_SIGNING_KEY, AUDIT_PUBLIC_KEYS } = workerEnv();
  keys ??= (
    AUDIT_SIGNING_KEY.length > 0 ? AUDIT_SIGNING_KEY.map(publicBytesOf) : AUDIT_PUBLIC_KEYS
  ).map(verifyingKeyOf);
  return keys;
}
