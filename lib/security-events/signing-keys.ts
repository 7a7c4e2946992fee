import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";

/** The bytes before the 32 bytes of an Ed25519 key in PKCS #8 and in SPKI (RFC 8410). */
const PRIVATE_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");
const PUBLIC_HEAD = Buffer.from("302a300506032b6570032100", "hex");

export type VerifyingKey = { id: string; publicKey: KeyObject };

/** The private key of a seed in AUDIT_SIGNING_KEY. */
export function privateKeyOf(seed: Buffer): KeyObject {
  return createPrivateKey({
    key: Buffer.concat([PRIVATE_HEAD, seed]),
    format: "der",
    type: "pkcs8",
  });
}

/** The 32 bytes of a seed's public key, as in AUDIT_PUBLIC_KEYS, which can verify but not sign. */
export function publicBytesOf(seed: Buffer): Buffer {
  return createPublicKey(privateKeyOf(seed))
    .export({ type: "spki", format: "der" })
    .subarray(PUBLIC_HEAD.length);
}

export function verifyingKeyOf(publicBytes: Buffer): VerifyingKey {
  const spki = Buffer.concat([PUBLIC_HEAD, publicBytes]);
  const id = createHash("sha256").update(spki).digest("hex").slice(0, 16);
  return { id, publicKey: createPublicKey({ key: spki, format: "der", type: "spki" }) };
}
