import { z } from "zod";
import { storable } from "../db/storable-text.ts";
import { maskSecrets, REDACTED } from "../runtime/mask-secrets.ts";
import type { Contract } from "../wire/contract.ts";
import { SECRET_FORMAT } from "../wire/schema.ts";
import type { LoggedMessage } from "./contract.ts";

/** Of a body, in characters. */
const BODY_MAX = 4096;
/** So much beyond it is looked at too: a credential that the end cuts in two is still one. */
const CREDENTIAL_MAX = 4096;
const HEADERS_MAX = 40;
const HEADER_MAX = 512;

/** Names of headers that carry a secret, ours or a proxy's. An idempotency key is the client's and never kept. */
const SECRET_HEADER = /auth|cookie|token|secret|key|password|signature|session|credential/;
/** Between the parts of this service. */
const INTERNAL_HEADER = /^x-(?:tieout|middleware|invoke|nextjs|matched)-/;

/** A body as it was sent: null where there was none, or where it was not read as a whole (a file). */
export type Sent = { headers: Headers; body: string | null; bytes: number | null };

/** Of a call whose credential wasn't verified: anyone can send those, as large as they like. */
export const NOTHING_KEPT: LoggedMessage = {
  headers: {},
  body: null,
  bytes: null,
  truncated: false,
};

/** What of a request is kept: its headers and the beginning of its body, without secrets. */
export function maskedRequest(
  contract: Contract | null,
  { headers, body, bytes }: Sent,
): LoggedMessage {
  return { headers: maskedHeaders(headers), ...maskedBody(contract?.body ?? null, body, bytes) };
}

/** The same of a response. */
export function maskedResponse(
  contract: Contract | null,
  { headers, body, bytes }: Sent,
  isProblem: boolean,
): LoggedMessage {
  return {
    headers: maskedHeaders(headers),
    ...maskedBody(isProblem ? null : (contract?.response ?? null), body, bytes),
  };
}

function maskedHeaders(headers: Headers): Record<string, string> {
  const kept: Record<string, string> = {};
  let left = HEADERS_MAX;
  for (const [name, value] of headers) {
    if (INTERNAL_HEADER.test(name)) continue;
    if (left-- === 0) break;
    kept[name] = SECRET_HEADER.test(name)
      ? maskedHeader(name, value)
      : storable(maskSecrets(value).slice(0, HEADER_MAX));
  }
  return kept;
}

/** The scheme, and the public part of an API key. */
function maskedHeader(name: string, value: string): string {
  const [, scheme, keyId] =
    (name === "authorization" && /^(Bearer|Basic) (?:(tk_[0-9A-Za-z]{22})\.)?/i.exec(value)) || [];
  return [scheme, keyId ? `${keyId}.${REDACTED}` : REDACTED].filter(Boolean).join(" ");
}

function maskedBody(
  schema: z.ZodType | null,
  body: string | null,
  bytes: number | null,
): Omit<LoggedMessage, "headers"> {
  if (body === null || body === "")
    return { body: null, bytes: bytes ?? (body === "" ? 0 : null), truncated: false };
  const masked = maskedText(schema, body);
  if (masked === null) return { body: null, bytes, truncated: true };
  const kept = storable(maskSecrets(masked.slice(0, BODY_MAX + CREDENTIAL_MAX)).slice(0, BODY_MAX));
  return {
    body: kept.replace(IDEMPOTENCY_KEY, `$1"${REDACTED}"`),
    bytes,
    truncated: masked.length > BODY_MAX,
  };
}

/** Null where a body may have a secret and can't be read. */
function maskedText(schema: z.ZodType | null, body: string): string | null {
  const fields = schema ? secretFields(schema) : NONE;
  if (fields.size === 0) return body;
  try {
    return JSON.stringify(JSON.parse(body), (name, value) => (fields.has(name) ? REDACTED : value));
  } catch {
    return null;
  }
}

const IDEMPOTENCY_KEY = /("idempotency_?[kK]ey"\s*:\s*)"(?:[^"\\]|\\.)*(?:"|$)/g;
const NONE: ReadonlySet<string> = new Set();
const known = new WeakMap<z.ZodType, ReadonlySet<string>>();

/**
 * The names of the fields that a schema marks as secrets, at any depth. A field of that name anywhere in the body is left out: one
 * that the schema doesn't know was perhaps only sent in the wrong place.
 */
export function secretFields(schema: z.ZodType): ReadonlySet<string> {
  const found = known.get(schema) ?? new Set(fieldsOf(schema));
  known.set(schema, found);
  return found;
}

type Def = { type: string; shape?: Record<string, z.ZodType>; options?: z.ZodType[] } & Partial<
  Record<"innerType" | "in" | "element" | "valueType" | "left" | "right", z.ZodType>
>;

function fieldsOf(schema: z.ZodType): string[] {
  const def = schema._zod.def as unknown as Def;
  const { shape = {}, options = [], innerType, in: input, element, valueType, left, right } = def;
  const inner = [innerType, input, element, valueType, left, right, ...options].filter(
    (part) => part !== undefined,
  );
  const own = Object.entries(shape).flatMap(([name, field]) => [
    ...(isSecret(field) ? [name] : []),
    ...fieldsOf(field),
  ]);
  return [...own, ...inner.flatMap(fieldsOf)];
}

function isSecret(field: z.ZodType): boolean {
  const { override } = (z.globalRegistry.get(field) ?? {}) as { override?: { format?: string } };
  if (override?.format === SECRET_FORMAT) return true;
  const { innerType, in: input } = field._zod.def as unknown as Def;
  return [innerType, input].some((part) => part !== undefined && isSecret(part));
}
