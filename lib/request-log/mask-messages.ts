import { z } from "zod";
import { toStorableText } from "../db/storable-text.ts";
import { maskSecrets, REDACTED } from "../runtime/mask-secrets.ts";
import type { Contract } from "../wire/contract.ts";
import { SECRET_FORMAT } from "../wire/schema.ts";
import type { LoggedMessage } from "./contract.ts";

/** The number of characters of a body that are logged. */
const BODY_MAX = 4096;
/**
 * This many further characters are searched as well, to recognise a credential that the limit cuts
 * in two.
 */
const CREDENTIAL_MAX = 4096;
const HEADERS_MAX = 40;
const HEADER_MAX = 512;

/**
 * Names of headers that carry a secret, ours or a proxy's. The client's idempotency key is never
 * logged.
 */
const SECRET_HEADER = /auth|cookie|token|secret|key|password|signature|session|credential/;
/** Headers between the processes of this service. */
const INTERNAL_HEADER = /^x-(?:inbound|middleware|invoke|nextjs|matched)-/;

/** A body as it was sent: null without a body, and for a file, which isn't read as a whole. */
export type SentMessage = { headers: Headers; body: string | null; bytes: number | null };

/** Logged for a call whose credential wasn't verified: anyone can send such calls, of any size. */
export const EMPTY_MESSAGE: LoggedMessage = {
  headers: {},
  body: null,
  bytes: null,
  truncated: false,
};

/** The loggable part of a request: its headers and the beginning of its body, without secrets. */
export function maskedRequest(
  contract: Contract | null,
  { headers, body, bytes }: SentMessage,
): LoggedMessage {
  return { headers: maskedHeaders(headers), ...maskedBody(contract?.body ?? null, body, bytes) };
}

/** The loggable part of a response. */
export function maskedResponse(
  contract: Contract | null,
  { headers, body, bytes }: SentMessage,
  isProblem: boolean,
): LoggedMessage {
  return {
    headers: maskedHeaders(headers),
    ...maskedBody(isProblem ? null : (contract?.response ?? null), body, bytes),
  };
}

function maskedHeaders(headers: Headers): Record<string, string> {
  const masked: Record<string, string> = {};
  let remaining = HEADERS_MAX;
  for (const [name, value] of headers) {
    if (INTERNAL_HEADER.test(name)) continue;
    if (remaining-- === 0) break;
    masked[name] = SECRET_HEADER.test(name)
      ? maskedHeader(name, value)
      : toStorableText(maskSecrets(value).slice(0, HEADER_MAX));
  }
  return masked;
}

/** Keeps the scheme and the public part of an API key. */
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
  const storedText = toStorableText(
    maskSecrets(masked.slice(0, BODY_MAX + CREDENTIAL_MAX)).slice(0, BODY_MAX),
  );
  return {
    body: storedText.replace(IDEMPOTENCY_KEY, `$1"${REDACTED}"`),
    bytes,
    truncated: masked.length > BODY_MAX,
  };
}

/** Null for an unparseable body that may contain a secret. */
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
const secretFieldsOf = new WeakMap<z.ZodType, ReadonlySet<string>>();

/**
 * The names of the fields that a schema marks as secrets, at any depth. Fields of these names are
 * hidden anywhere in the body, since a secret may have been sent in the wrong place.
 */
export function secretFields(schema: z.ZodType): ReadonlySet<string> {
  const found = secretFieldsOf.get(schema) ?? new Set(fieldsOf(schema));
  secretFieldsOf.set(schema, found);
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
  const shapeFields = Object.entries(shape).flatMap(([name, field]) => [
    ...(isSecret(field) ? [name] : []),
    ...fieldsOf(field),
  ]);
  return [...shapeFields, ...inner.flatMap(fieldsOf)];
}

function isSecret(field: z.ZodType): boolean {
  const { override } = (z.globalRegistry.get(field) ?? {}) as { override?: { format?: string } };
  if (override?.format === SECRET_FORMAT) return true;
  const { innerType, in: input } = field._zod.def as unknown as Def;
  return [innerType, input].some((part) => part !== undefined && isSecret(part));
}
