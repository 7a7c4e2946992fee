import { until } from "./until.ts";

/** Calls until it is refused. @returns when the last call that was accepted began, by performance.now(); `since` where none was. */
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
