import type { Limits } from "../runtime/tenant-limiter.ts";

/**
 * The kinds of database calls. Each long kind has its own limit, so that long calls can't take the
 * places of other kinds or of people who wait for a page.
 */
export type Priority = "interactive" | "search" | "bulk" | "export" | "import";

const WAIT_TIMEOUT_MS = 10_000;

/**
 * The limits of one process. All web `processes` together use 16 connections for tenants' calls;
 * calls without a tenant have their own pool.
 */
export function callLimits(
  processes: number,
): Limits<Priority> & { total: number; maxLong: number } {
  const total = Math.max(4, Math.floor(16 / processes));
  const share = (part: number) => Math.max(1, Math.floor(total * part));
  return {
    total,
    maxLong: share(1 / 4),
    waitTimeoutMs: WAIT_TIMEOUT_MS,
    kinds: {
      interactive: {
        perTenant: share(1 / 2),
        waiting: { max: 200, tooMany: "Your tenant makes too many calls at once." },
      },
      search: {
        perTenant: share(1 / 8),
        waiting: { max: 20, tooMany: "Your tenant makes too many searches at once." },
        long: true,
      },
      bulk: {
        perTenant: share(1 / 8),
        waiting: { max: 40, tooMany: "Your tenant makes too many bulk changes at once." },
        long: true,
      },
      export: {
        perTenant: share(1 / 16),
        waiting: { max: 40, tooMany: "Your tenant makes too many exports at once." },
        long: true,
      },
      import: {
        perTenant: share(1 / 8),
        waiting: { max: 40, tooMany: "Your tenant makes too many imports at once." },
        long: true,
      },
    },
  };
}
