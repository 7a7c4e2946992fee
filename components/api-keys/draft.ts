import type { z } from "zod";
import type { Problems } from "#components/kit/problems.ts";
import type { ApiKey, createApiKeyContract, updateApiKeyContract } from "#lib/api-keys/contract.ts";
import type { Scope } from "#lib/wire/access.ts";
import { normaliseRange } from "#lib/wire/ip-range.ts";
import { SCOPES } from "#lib/wire/scopes.ts";

export const LIFETIMES_DAYS = ["30", "90", "180", "365"] as const;

/** When a key expires. `day`: the last day of a custom expiry, YYYY-MM-DD. */
export type Expiry = {
  choice: (typeof LIFETIMES_DAYS)[number] | "keep" | "custom" | "never";
  day: string;
};

/** The fields of a key's form: addresses and ranges as text, one per line. */
export type Draft = {
  name: string;
  description: string;
  scopes: readonly Scope[];
  expires_at: Expiry;
  ip_allowlist: string;
};

export type NewKeyInput = z.input<NonNullable<typeof createApiKeyContract.body>>;
export type KeyPatch = z.input<NonNullable<typeof updateApiKeyContract.body>>;
/** The part of a change that can cause calls to be refused. */
export type ApiKeyChange = Pick<KeyPatch, "scopes" | "expires_at" | "ip_allowlist">;

const DAY_MS = 24 * 60 * 60 * 1000;

export const NEW_DRAFT: Draft = {
  name: "",
  description: "",
  scopes: [],
  expires_at: { choice: "90", day: "" },
  ip_allowlist: "",
};

export function draftOf(key: ApiKey): Draft {
  return {
    name: key.name,
    description: key.description ?? "",
    scopes: key.scopes as Scope[],
    expires_at: { choice: "keep", day: "" },
    ip_allowlist: key.ip_allowlist.join("\n"),
  };
}

export function inputOf(draft: Draft, nowMs: number): NewKeyInput {
  return {
    name: draft.name.trim(),
    description: draft.description.trim() || null,
    scopes: [...draft.scopes],
    expires_at: endOf(draft.expires_at, nowMs),
    ip_allowlist: rangesOf(draft.ip_allowlist),
  };
}

/** The differences between a draft and its key. */
export function patchOf(key: ApiKey, draft: Draft, nowMs: number): KeyPatch {
  const input = inputOf(draft, nowMs);
  const ranges = input.ip_allowlist?.map((range) => normaliseRange(range) ?? range) ?? [];
  return {
    ...(input.name !== key.name && { name: input.name }),
    ...(input.description !== key.description && { description: input.description }),
    ...(!sameSet(input.scopes, key.scopes) && { scopes: input.scopes }),
    ...(!sameSet(ranges, key.ip_allowlist) && { ip_allowlist: ranges }),
    ...(draft.expires_at.choice !== "keep" && { expires_at: input.expires_at }),
  };
}

/** When a key expires; null for never and for unchanged. */
export function endOf({ choice, day }: Expiry, nowMs: number): string | null {
  if (choice === "never" || choice === "keep") return null;
  if (choice === "custom") return day && `${day}T23:59:59.000Z`;
  return new Date(nowMs + Number(choice) * DAY_MS).toISOString();
}

export function rangesOf(allowlist: string): string[] {
  return allowlist.split(/[\s,;]+/).filter(Boolean);
}

/** Whether an allowlist explicitly allows every address. */
export function allowsEveryAddress(ranges: readonly string[]): boolean {
  return ranges.some((range) => normaliseRange(range)?.endsWith("/0"));
}

/** Validates before anything is sent. */
export function missingIn({ name, scopes, expires_at, ip_allowlist }: Draft): Problems {
  const wrong = rangesOf(ip_allowlist).find((range) => normaliseRange(range) === null);
  return {
    ...(name.trim() === "" && { name: "Enter a name." }),
    ...(scopes.length === 0 && { scopes: "Select at least one scope." }),
    ...(expires_at.choice === "custom" &&
      expires_at.day === "" && { expires_at: "Choose the last day." }),
    ...(wrong && {
      ip_allowlist: `“${wrong}” isn't an IP address or CIDR range. Examples: 203.0.113.7, 2001:db8::/32.`,
    }),
  };
}

export function toggleScope(scopes: readonly Scope[], scope: Scope, on: boolean): Scope[] {
  return SCOPES.filter((known) => (known === scope ? on : scopes.includes(known)));
}

function sameSet(left: readonly string[], right: readonly string[]): boolean {
  return new Set(left).size === new Set(right).size && left.every((value) => right.includes(value));
}
