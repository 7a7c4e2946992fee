import { until } from "./until.ts";

/**
 * Repeats a call until it is refused. @returns when the last accepted call began, by
 * performance.now(); `since` if none was
 */
export async function lastAccepted(
  since: number,
  isRefused: () => Promise<boolean>,
): Promise<number> {
  let acceptedAt = since;
  await until("it is refused", async () => {
    const askedAt = performance.now();
    const refused = await isRefused();
    if (!refused) acceptedAt = askedAt;
    return refused;
  });
  return acceptedAt;
}
