import type { Problems } from "#components/kit/problems.ts";
import type { ApiKey, ApiKeyImpact } from "#lib/api-keys/contract.ts";

type Revocation = { confirmation: string; reason: string };

/**
 * Whether the key was used in the last 7 days. Revoking it would break callers, so the dialog asks
 * for its name. `impact` is undefined until loaded.
 */
export function isInUse(
  { calls_by_day }: Pick<ApiKey, "calls_by_day">,
  impact: Pick<ApiKeyImpact, "calls"> | undefined,
): boolean {
  return impact ? impact.calls > 0 : calls_by_day.some((calls) => calls > 0);
}

export function missingToRevoke(
  { confirmation, reason }: Revocation,
  { name, inUse }: { name: string; inUse: boolean },
): Problems {
  return {
    ...(inUse &&
      confirmation.trim() !== name.trim() && {
        confirmation: "That doesn't match the key's name.",
      }),
    ...(reason.trim() === "" && { reason: "Enter a reason. It's recorded with the key." }),
  };
}
