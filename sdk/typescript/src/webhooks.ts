import { TieoutError } from "./errors.ts";
import type { TieoutEvent } from "./generated/operations.gen.ts";

/** The raw body of a delivery. JSON that was parsed and written again has other bytes. */
export type RawBody = string | Uint8Array | ArrayBuffer;
/** Headers of Fetch or of Node. */
export type HeadersLike = Headers | Record<string, string | readonly string[] | undefined>;
/** A delivery: the event, and its ID, which is the same on every attempt. */
export type Delivery = TieoutEvent & { id: string };

const TOLERANCE_SECONDS = 300;

/**
 * Verifies a delivery and returns its event. With several secrets, one of them must fit. Types of
 * events that this version doesn't know are passed through. @throws TieoutError `invalid_signature`
 */
export async function unwrap(
  rawBody: RawBody,
  headers: HeadersLike,
  secret: string | readonly string[],
): Promise<Delivery> {
  const read = (name: string) =>
    String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? "");
  const [id, timestamp] = [read("webhook-id"), read("webhook-timestamp")];
  const signatures = read("webhook-signature")
    .split(" ")
    .filter((one) => one.startsWith("v1,"));
  const body = typeof rawBody === "string" ? new TextEncoder().encode(rawBody) : rawBody;
  // A timestamp that is no number is not within the tolerance either.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp || Number.NaN)) <= TOLERANCE_SECONDS))
    throw refused("The webhook-timestamp is missing or more than 5 minutes off.");
  const signed = join(`${id}.${timestamp}.`, body);
  for (const one of typeof secret === "string" ? [secret] : secret) {
    const key = await keyOf(one, "verify");
    for (const signature of signatures) {
      const bytes = fromBase64(signature.slice(3));
      if (bytes && (await crypto.subtle.verify("HMAC", key, bytes, signed)))
        return { ...JSON.parse(new TextDecoder().decode(body)), id };
    }
  }
  throw refused("No signature fits the secret and the raw body.");
}

/** The headers of a signed delivery, to test a receiver with. */
export async function sign(
  rawBody: RawBody,
  secret: string,
  { id = "evt_test", at = new Date() } = {},
): Promise<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const body = typeof rawBody === "string" ? new TextEncoder().encode(rawBody) : rawBody;
  const key = await keyOf(secret, "sign");
  const hash = await crypto.subtle.sign("HMAC", key, join(`${id}.${timestamp}.`, body));
  const signature = btoa(String.fromCharCode(...new Uint8Array(hash)));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
}

function keyOf(secret: string, usage: "sign" | "verify"): Promise<CryptoKey> {
  const bytes = secret.startsWith("whsec_")
    ? fromBase64(secret.slice(6))
    : new TextEncoder().encode(secret);
  if (!bytes?.length) throw refused("The secret is empty, or what follows whsec_ is no base64.");
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return crypto.subtle.importKey("raw", bytes, algorithm, false, [usage]);
}

function join(head: string, body: Uint8Array | ArrayBuffer): Uint8Array<ArrayBuffer> {
  const [start, end] = [new TextEncoder().encode(head), new Uint8Array(body)];
  const joined = new Uint8Array(start.length + end.length);
  joined.set(start);
  joined.set(end, start.length);
  return joined;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function refused(message: string): TieoutError {
  return new TieoutError("invalid_signature", message);
}
