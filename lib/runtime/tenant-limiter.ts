import { ApiError } from "../wire/errors.ts";

type KindLimit = {
  /** The maximum number of running tasks of a tenant. */
  perTenant: number;
  /** The maximum number of waiting tasks of a tenant; more are refused with `tooMany`. */
  waiting?: { max: number; tooMany: string };
  /** Long tasks share `maxLong` places, so that they can't take them all. */
  long?: boolean;
};

export type Limits<Kind extends string> = {
  total?: number;
  maxLong?: number;
  /** Tasks that wait for longer are refused. */
  waitTimeoutMs?: number;
  kinds: Record<Kind, KindLimit>;
};

type Waiter<Kind> = { kind: Kind; start: () => void };
type Tenant<Kind extends string> = { running: Record<Kind, number>; waiting: Waiter<Kind>[] };

/**
 * Limits concurrent tasks: in total, for long tasks, and for each tenant by kind. Of the waiting
 * tasks, those of the tenant with the fewest running tasks start first, so that no tenant waits
 * behind another tenant's queue.
 */
export class TenantLimiter<Kind extends string> {
  readonly #limits: Limits<Kind>;
  readonly #kinds: Kind[];
  readonly #tenants = new Map<string, Tenant<Kind>>();
  #running = 0;
  #long = 0;

  constructor(limits: Limits<Kind>) {
    this.#limits = limits;
    this.#kinds = Object.keys(limits.kinds) as Kind[];
  }

  /**
   * @throws ApiError `rate_limited` if too many tasks of the tenant are waiting, `unavailable` if
   * the task could not start in time
   */
  async run<Result>(
    tenantId: string,
    kind: Kind,
    work: () => PromiseLike<Result>,
  ): Promise<Result> {
    const tenant = this.#tenants.get(tenantId) ?? { running: this.#zeroPerPriority(), waiting: [] };
    this.#tenants.set(tenantId, tenant);
    await this.#enter(tenant, kind);
    try {
      return await work();
    } finally {
      this.#leave(tenant, kind);
      if (tenant.waiting.length === 0 && this.#runningCount(tenant) === 0)
        this.#tenants.delete(tenantId);
    }
  }

  /** How many tasks are waiting, by kind. */
  get waiting(): Record<Kind, number> {
    const counts = this.#zeroPerPriority();
    for (const tenant of this.#tenants.values())
      for (const { kind } of tenant.waiting) counts[kind]++;
    return counts;
  }

  /** How many tasks of a tenant are running or waiting. */
  unfinished(tenantId: string): number {
    const tenant = this.#tenants.get(tenantId);
    return tenant ? tenant.waiting.length + this.#runningCount(tenant) : 0;
  }

  async #enter(tenant: Tenant<Kind>, kind: Kind): Promise<void> {
    if (this.#admits(tenant, kind)) return this.#begin(tenant, kind);
    const limit = this.#limits.kinds[kind].waiting;
    if (limit && tenant.waiting.filter((waiter) => waiter.kind === kind).length >= limit.max)
      throw rateLimited(limit.tooMany);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter<Kind> = { kind, start: resolve };
    tenant.waiting.push(waiter);
    const { waitTimeoutMs } = this.#limits;
    if (waitTimeoutMs === undefined) return promise;
    const timer = setTimeout(() => {
      tenant.waiting.splice(tenant.waiting.indexOf(waiter), 1);
      reject(
        new ApiError("unavailable", "The service is busy. Try again shortly.", {
          headers: { "Retry-After": "2" },
        }),
      );
    }, waitTimeoutMs);
    await promise.finally(() => clearTimeout(timer));
  }

  #admits(tenant: Tenant<Kind>, kind: Kind): boolean {
    const { total = Infinity, maxLong = Infinity, kinds } = this.#limits;
    if (this.#running >= total || tenant.running[kind] >= kinds[kind].perTenant) return false;
    return !kinds[kind].long || this.#long < maxLong;
  }

  #begin(tenant: Tenant<Kind>, kind: Kind): void {
    tenant.running[kind]++;
    this.#running++;
    if (this.#limits.kinds[kind].long) this.#long++;
  }

  #leave(tenant: Tenant<Kind>, kind: Kind): void {
    tenant.running[kind]--;
    this.#running--;
    if (this.#limits.kinds[kind].long) this.#long--;
    this.#startNext();
  }

  #startNext(): void {
    for (const tenant of [...this.#tenants.values()].sort(
      (a, b) => this.#runningCount(a) - this.#runningCount(b),
    )) {
      const next = tenant.waiting.findIndex(({ kind }) => this.#admits(tenant, kind));
      if (next === -1) continue;
      const [waiter] = tenant.waiting.splice(next, 1);
      if (!waiter) continue;
      this.#begin(tenant, waiter.kind);
      waiter.start();
      return;
    }
  }

  #runningCount({ running }: Tenant<Kind>): number {
    return this.#kinds.reduce((count, kind) => count + running[kind], 0);
  }

  #zeroPerPriority(): Record<Kind, number> {
    return Object.fromEntries(this.#kinds.map((kind) => [kind, 0])) as Record<Kind, number>;
  }
}

/** The refusal of a call whose tenant has too many waiting. */
export function rateLimited(tooMany: string): ApiError {
  return new ApiError("rate_limited", `${tooMany} Try again in 1 s.`, {
    headers: { "Retry-After": "1" },
  });
}
