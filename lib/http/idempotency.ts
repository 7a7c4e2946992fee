import { createHash } from "node:crypto";
import type { IdempotencyRecord } from "../request/context.ts";
import type { Contract } from "../wire/contract.ts";
import { ApiError, invalidRequest } from "../wire/errors.ts";
import { headerText } from "./header-text.ts";

export const IDEMPOTENCY_KEY_MAX = 255;

/** The two spellings in the spec's bodies. Every operation accepts both. */
const FIELDS = ["idempotency_key", "idempotencyKey"] as const;
const HEADER = "Idempotency-Key";

/**
 * Reads the idempotency key from the body or the header. @throws ApiError 400 if two places have
 * different keys, a key is invalid, or a required key is missing.
 */
export function readIdempotency(
  contract: Contract,
  request: Request,
  params: Record<string, string>,
  body: Record<string, unknown>,
): { record: IdempotencyRecord | null; rest: Record<string, unknown> } {
  if (!contract.idempotency) return { record: null, rest: body };
  const { idempotency_key: _snake, idempotencyKey: _camel, ...rest } = body;
  const places = [
    ...FIELDS.map((field) => [field, body[field] ?? null] as const),
    [HEADER, headerKey(request.headers)] as const,
  ];
  const provided = places.flatMap(([path, key]) =>
    key === null ? [] : [{ path, key: requireKey(key, path) }],
  );
  const [first, ...others] = provided;
  const other = others.find(({ key }) => key !== first?.key);
  if (first && other) {
    throw invalidRequest([
      {
        path: other.path,
        message: `The idempotency keys in ${first.path} and ${other.path} differ. Send only one.`,
      },
    ]);
  }
  if (first)
    return {
      record: {
        key: first.key,
        key_hash: sha256(first.key),
        fingerprint: sha256(canonical([params, rest])),
      },
      rest,
    };
  const { field, required } = contract.idempotency;
  if (!required) return { record: null, rest };
  throw new ApiError(
    "idempotency_key_required",
    `Send ${field} in the body or an ${HEADER} header.`,
    {
      errors: [
        {
          path: field,
          message:
            `Required: any string of up to ${IDEMPOTENCY_KEY_MAX} ` +
            "characters, unique to this request.",
        },
      ],
    },
  );
}

/** A string as RFC 8941 quotes it, which the IETF's draft of the header requires: "k" is k. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;

function headerKey(headers: Headers): string | null {
  const text = headerText(headers, HEADER, IDEMPOTENCY_KEY_MAX * 2 + 2);
  const quoted = text === null ? undefined : QUOTED.exec(text)?.[1];
  return quoted === undefined ? text : quoted.replace(/\\(["\\])/g, "$1");
}

function requireKey(value: unknown, path: string): string {
  if (typeof value === "string" && value !== "" && [...value].length <= IDEMPOTENCY_KEY_MAX)
    return value;
  throw invalidRequest([{ path, message: `Must be 1 to ${IDEMPOTENCY_KEY_MAX} characters.` }]);
}

/** The same text for equal JSON, whatever the order of its keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, child) =>
    typeof child === "object" && child !== null && !Array.isArray(child)
      ? Object.fromEntries(Object.entries(child).sort(([left], [right]) => (left < right ? -1 : 1)))
      : child,
  );
}

function sha256(value: string): string {
  return createHash("sha256").update(value).digest("hex");
}
