import { TieoutError } from "./errors.ts";
import type { TieoutEvent } from "./generated/operations.gen.ts";

/** The raw body of a delivery. JSON that was parsed and written again has other bytes. */
export type RawBody = string | Uint8Array | ArrayBuffer;
/** Headers of Fetch or of Node. */
export type HeadersLike = Headers | Record<string, string | readonly string[] | undefined>;
/** A delivery: the event, and its ID, which is the same for every attempt. */
export type Delivery = TieoutEvent & { id: string };

const TOLERANCE_SECONDS = 300;

/**
 * Verifies a delivery and returns its event. With several secrets, one of them must match; those
 * that aren't set are left out. Event types that this version doesn't know are passed through.
 * @throws TieoutError `invalid_signature`
 */
export async function unwrap(
  rawBody: RawBody,
  headers: HeadersLike,
  secret: string | readonly string[],
): Promise<Delivery> {
  const [id, timestamp] = [headerOf(headers, "webhook-id"), headerOf(headers, "webhook-timestamp")];
  // A timestamp that isn't a number is outside the tolerance, too.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp || Number.NaN)) <= TOLERANCE_SECONDS))
    throw refused("The webhook-timestamp is missing or more than 5 minutes off.");
  const body = textOf(rawBody);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const found = headerOf(headers, "webhook-signature").matchAll(/(?:^| )v1,(\S*)/g);
  const signatures = Array.from(found, ([, text = ""]) => fromBase64(text));
  const secrets = [secret].flat().filter(Boolean);
  if (secrets.length === 0) throw refused("The secret is empty.");
  for (const one of secrets) {
    const key = await keyOf(one);
    for (const signature of signatures)
      if (await crypto.subtle.verify("HMAC", key, signature, signed))
        return { ...JSON.parse(body), id };
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
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${textOf(rawBody)}`);
  const hash = await crypto.subtle.sign("HMAC", await keyOf(secret), signed);
  const signature = btoa(String.fromCharCode(...new Uint8Array(hash)));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
}

/** Gateways write the names of headers in any case. */
function headerOf(headers: HeadersLike, name: string): string {
  const { get } = headers as Headers;
  if (typeof get === "function") return (headers as Headers).get(name) ?? "";
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return String(value ?? "");
}

/** Bytes that aren't UTF-8 change here, and then no signature matches. */
function textOf(body: RawBody): string {
  if (typeof body === "string") return body;
  try {
    return new TextDecoder().decode(body);
  } catch (cause) {
    throw new TypeError("Pass the raw body: this one was parsed.", { cause });
  }
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith("whsec_")
    ? fromBase64(secret.slice("whsec_".length))
    : new TextEncoder().encode(secret);
  if (bytes.length === 0)
    throw refused("The secret is empty, or what follows whsec_ is no base64.");
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign", "verify"]);
}

/** The bytes of base64 in either alphabet; none if it isn't base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(bytes, (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function refused(message: string): TieoutError {
  return new TieoutError("invalid_signature", message);
}
