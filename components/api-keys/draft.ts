import type { z } from "zod";
import { ApiProblem } from "#components/api-client.ts";
import type { ApiKey, createApiKeyContract, updateApiKeyContract } from "#lib/api-keys/contract.ts";
import type { Scope } from "#lib/wire/access.ts";
import { normaliseRange } from "#lib/wire/ip-range.ts";
import { SCOPES } from "#lib/wire/scopes.ts";

export const LIFETIMES_DAYS = ["30", "90", "180", "365"] as const;

export type Expiry = (typeof LIFETIMES_DAYS)[number] | "keep" | "custom" | "never";

/** A key as it is being typed. */
export type Draft = {
  name: string;
  description: string;
  scopes: readonly Scope[];
  expiry: Expiry;
  /** The last day of a custom expiry, YYYY-MM-DD. */
  day: string;
  /** Addresses and ranges, one a line. */
  allowlist: string;
};

export type NewKeyInput = z.input<NonNullable<typeof createApiKeyContract.body>>;
export type KeyPatch = z.input<NonNullable<typeof updateApiKeyContract.body>>;
/** The part of a change that can refuse calls. */
export type ApiKeyChange = Pick<KeyPatch, "scopes" | "expires_at" | "ip_allowlist">;

type Field = "name" | "description" | "scopes" | "expires_at" | "ip_allowlist";
export type Problems = Partial<Record<Field, string>>;

const DAY_MS = 24 * 60 * 60 * 1000;

export const NEW_DRAFT: Draft = { name: "", description: "", scopes: [], expiry: "90", day: "", allowlist: "" };

export function draftOf(key: ApiKey): Draft {
  return {
    name: key.name,
    description: key.description ?? "",
    scopes: key.scopes as Scope[],
    expiry: "keep",
    day: "",
    allowlist: key.ip_allowlist.join("\n"),
  };
}

export function inputOf(draft: Draft, nowMs: number): NewKeyInput {
  return {
    name: draft.name.trim(),
    description: draft.description.trim() || null,
    scopes: [...draft.scopes],
    expires_at: expiresAt(draft, nowMs),
    ip_allowlist: rangesOf(draft.allowlist),
  };
}

/** What a draft changes of its key. */
export function patchOf(key: ApiKey, draft: Draft, nowMs: number): KeyPatch {
  const wanted = inputOf(draft, nowMs);
  const ranges = wanted.ip_allowlist?.map((range) => normaliseRange(range) ?? range) ?? [];
  return {
    ...(wanted.name !== key.name && { name: wanted.name }),
    ...(wanted.description !== key.description && { description: wanted.description }),
    ...(!sameSet(wanted.scopes, key.scopes) && { scopes: wanted.scopes }),
    ...(!sameSet(ranges, key.ip_allowlist) && { ip_allowlist: ranges }),
    ...(draft.expiry !== "keep" && { expires_at: wanted.expires_at }),
  };
}

/** When a draft's key ends; null for never, and for what is kept. */
export function expiresAt({ expiry, day }: Pick<Draft, "expiry" | "day">, nowMs: number): string | null {
  if (expiry === "never" || expiry === "keep") return null;
  if (expiry === "custom") return day && `${day}T23:59:59.000Z`;
  return new Date(nowMs + Number(expiry) * DAY_MS).toISOString();
}

export function rangesOf(allowlist: string): string[] {
  return allowlist.split(/[\s,;]+/).filter(Boolean);
}

/** Whether a list lets in every address, by saying so. */
export function opensToAll(ranges: readonly string[]): boolean {
  return ranges.some((range) => normaliseRange(range)?.endsWith("/0"));
}

/** What is wrong before anything is sent. */
export function problemsOf(draft: Draft): Problems {
  const problems: Problems = {};
  if (draft.name.trim() === "") problems.name = "Give the key a name.";
  if (draft.scopes.length === 0) problems.scopes = "Choose at least one scope.";
  if (draft.expiry === "custom" && draft.day === "") problems.expires_at = "Choose the last day.";
  const wrong = rangesOf(draft.allowlist).find((range) => normaliseRange(range) === null);
  if (wrong) problems.ip_allowlist = `“${wrong}” is no address or range. Write it like 203.0.113.7 or 2001:db8::/32.`;
  return problems;
}

/** What the server found wrong, by field; empty where it is about no field. */
export function problemsFrom(error: Error): Problems {
  const errors = error instanceof ApiProblem ? error.errors : [];
  const fields = ["name", "description", "scopes", "expires_at", "ip_allowlist"] as const;
  const found = fields.flatMap((field) => {
    const one = errors.find(({ path }) => path === field || path.startsWith(`${field}.`));
    return one ? [[field, one.message]] : [];
  });
  return Object.fromEntries(found);
}

export function toggled(scopes: readonly Scope[], scope: Scope, on: boolean): Scope[] {
  return SCOPES.filter((known) => (known === scope ? on : scopes.includes(known)));
}

function sameSet(left: readonly string[], right: readonly string[]): boolean {
  return new Set(left).size === new Set(right).size && left.every((one) => right.includes(one));
}
