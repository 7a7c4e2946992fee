import { ApiError } from "../wire/errors.ts";

/**
 * The kinds of database calls. Each long kind has its own limit, so that long calls can't take the
 * places of other kinds or of people who wait for a page.
 */
export type Priority = "interactive" | "search" | "export" | "import";

export type Width = { total: number; long: number; perTenant: Record<Priority, number> };

/** A waiting call of one tenant. */
type Waiter = { lane: Priority; start: () => void };
type Tenant = { running: Record<Priority, number>; waiting: Waiter[] };

const MAX_WAITING: Record<Priority, number> = {
  interactive: 200,
  search: 20,
  export: 40,
  import: 40,
};
const WAIT_TIMEOUT_MS = 10_000;
const TOO_MANY: Record<Priority, string> = {
  interactive: "Your tenant makes too many calls at once.",
  search: "Your tenant makes too many searches at once.",
  export: "Your tenant makes too many exports at once.",
  import: "Your tenant makes too many imports at once.",
};

/**
 * The limits of one process. All web `processes` together use 16 connections for tenants' calls;
 * calls without a tenant have their own pool.
 */
export function concurrencyFor(processes: number): Width {
  const total = Math.max(4, Math.floor(16 / processes));
  const share = (part: number) => Math.max(1, Math.floor(total * part));
  return {
    total,
    long: share(1 / 2),
    perTenant: {
      interactive: share(1 / 2),
      search: share(1 / 8),
      export: share(1 / 16),
      import: share(1 / 8),
    },
  };
}

/**
 * Limits concurrent database calls: in total, for long calls, and for each tenant by priority. Of
 * the waiting calls, those of the tenant with the fewest running calls start first, so that no
 * tenant waits behind another tenant's queue.
 */
export class ConcurrencyLimiter {
  readonly #width: Width;
  readonly #tenants = new Map<string, Tenant>();
  #running = 0;
  #long = 0;

  constructor(width: Width) {
    this.#width = width;
  }

  /**
   * @throws ApiError `rate_limited` if too many calls of the tenant are waiting, `unavailable` if
   * the call could not start within 10 s.
   */
  async run<Result>(
    tenantId: string,
    lane: Priority,
    work: () => PromiseLike<Result>,
  ): Promise<Result> {
    const tenant = this.#tenants.get(tenantId) ?? newTenant();
    this.#tenants.set(tenantId, tenant);
    await this.#enter(tenant, lane);
    try {
      return await work();
    } finally {
      this.#leave(tenant, lane);
      if (tenant.waiting.length === 0 && runningCount(tenant) === 0) this.#tenants.delete(tenantId);
    }
  }

  /** How many calls are waiting, by priority. */
  get waiting(): Record<Priority, number> {
    const counts: Record<Priority, number> = { interactive: 0, search: 0, export: 0, import: 0 };
    for (const tenant of this.#tenants.values())
      for (const { lane } of tenant.waiting) counts[lane]++;
    return counts;
  }

  async #enter(tenant: Tenant, lane: Priority): Promise<void> {
    if (this.#admits(tenant, lane)) return this.#begin(tenant, lane);
    if (tenant.waiting.filter((waiter) => waiter.lane === lane).length >= MAX_WAITING[lane]) {
      throw new ApiError("rate_limited", `${TOO_MANY[lane]} Try again in 1 s.`, {
        headers: { "Retry-After": "1" },
      });
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { lane, start: resolve };
    tenant.waiting.push(waiter);
    const timer = setTimeout(() => {
      tenant.waiting.splice(tenant.waiting.indexOf(waiter), 1);
      reject(
        new ApiError("unavailable", "The service is busy. Try again shortly.", {
          headers: { "Retry-After": "2" },
        }),
      );
    }, WAIT_TIMEOUT_MS);
    await promise.finally(() => clearTimeout(timer));
  }

  #admits(tenant: Tenant, lane: Priority): boolean {
    const { total, long, perTenant } = this.#width;
    if (this.#running >= total || tenant.running[lane] >= perTenant[lane]) return false;
    return lane === "interactive" || this.#long < long;
  }

  #begin(tenant: Tenant, lane: Priority): void {
    tenant.running[lane]++;
    this.#running++;
    if (lane !== "interactive") this.#long++;
  }

  #leave(tenant: Tenant, lane: Priority): void {
    tenant.running[lane]--;
    this.#running--;
    if (lane !== "interactive") this.#long--;
    this.#startNext();
  }

  #startNext(): void {
    for (const tenant of [...this.#tenants.values()].sort(
      (a, b) => runningCount(a) - runningCount(b),
    )) {
      const next = tenant.waiting.findIndex(({ lane }) => this.#admits(tenant, lane));
      if (next === -1) continue;
      const [waiter] = tenant.waiting.splice(next, 1);
      if (!waiter) continue;
      this.#begin(tenant, waiter.lane);
      waiter.start();
      return;
    }
  }
}

function newTenant(): Tenant {
  return { running: { interactive: 0, search: 0, export: 0, import: 0 }, waiting: [] };
}

function runningCount({ running }: Tenant): number {
  return running.interactive + running.search + running.export + running.import;
}
