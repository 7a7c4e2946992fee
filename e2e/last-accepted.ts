import { until } from "./until.ts";

/**
 * Repeats a call until it is refused. @returns the start of the last accepted call, in terms of
 * performance.now(), or `since` if none was accepted
 */
export async function lastAccepted(
  since: number,
  isRefused: () => Promise<boolean>,
): Promise<number> {
  let acceptedAt = since;
  await until("it is refused", async () => {
    const startedAt = performance.now();
    const refused = await isRefused();
    if (!refused) acceptedAt = startedAt;
    return refused;
  });
  return acceptedAt;
}
