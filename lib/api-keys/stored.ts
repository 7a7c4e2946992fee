import { z } from "zod";
import type { Scope } from "../access.ts";
import { CONTRACTS } from "../contracts.ts";
import { time } from "../schema.ts";
import { SCOPES } from "../scopes.ts";
import { type ApiKey, apiKey } from "./contract.ts";

const UNUSED_AFTER_MS = 30 * 24 * 60 * 60 * 1000;

/** A key as the database gives it: with the operations of 30 days, from which the unused scopes follow. */
export const storedApiKey = apiKey.omit({ unused_scopes: true }).extend({ operations_used: z.array(z.string()), as_of: time });

export function toApiKey({ operations_used, as_of, ...key }: z.output<typeof storedApiKey>): ApiKey {
  const used = new Set(operations_used.map(scopeOf));
  const isOld = Date.parse(as_of) - Date.parse(key.created_at) > UNUSED_AFTER_MS;
  return { ...key, unused_scopes: isOld ? SCOPES.filter((scope) => key.scopes.includes(scope) && !used.has(scope)) : [] };
}

/** The scope that an operation asks of an API key. */
export function scopeOf(operationId: string): Scope | null {
  return CONTRACTS.find((contract) => contract.operationId === operationId)?.access.scope ?? null;
}
