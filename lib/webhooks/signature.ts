import { createHmac } from "node:crypto";

export type SignatureHeaders = {
  "webhook-id": string;
  "webhook-timestamp": string;
  "webhook-signature": string;
};

/**
 * Signs a message by the Standard Webhooks scheme with each secret, newest first. `sentAt` is in
 * seconds.
 */
export function sign(
  id: string,
  sentAt: number,
  body: string,
  secrets: readonly string[],
): SignatureHeaders {
  const timestamp = String(sentAt);
  const signatures = secrets.map((secret) => {
    const digest = createHmac("sha256", secretBytes(secret))
      .update(`${id}.${timestamp}.${body}`)
      .digest("base64");
    return `v1,${digest}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

/** The bytes of a secret: base64 (either alphabet) after `whsec_`, otherwise UTF-8. */
export function secretBytes(secret: string): Buffer {
  return secret.startsWith("whsec_")
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : Buffer.from(secret, "utf8");
}
