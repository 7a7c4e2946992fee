import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Project } from "#e2e/stack/project.ts";
import { until } from "#e2e/until.ts";
import type { Receiver } from "#e2e/webhooks/receiver.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const RETRY_AFTER_MS = 200;
const PAUSE_MS = 100;

/** `status` is 0 if the connection failed. `problem` is null if the response isn't one. */
export type CallResult = {
  status: number;
  ms: number;
  retryAfter: string | null;
  problem: { code: string; detail: string } | null;
};

export async function call(url: string, init: RequestInit = {}): Promise<CallResult> {
  const since = performance.now();
  const response = await fetch(url, init).catch(() => null);
  const body = (await response?.text()) ?? "";
  const isProblem = response?.headers.get("content-type") === "application/problem+json";
  return {
    status: response?.status ?? 0,
    ms: performance.now() - since,
    retryAfter: response?.headers.get("retry-after") ?? null,
    problem: isProblem ? JSON.parse(body) : null,
  };
}

type Options = {
  name: string;
  count: number;
  url: string;
  project: Project;
  receiver: Receiver;
  tenant?: string;
};

/**
 * Callers that create exceptions, each retried with the same key until it is acknowledged, and a
 * receiver of their events.
 */
export class Writers {
  readonly responses: CallResult[] = [];
  readonly written: string[] = [];
  readonly #options: Options;
  #all: Promise<unknown> = Promise.resolve();
  #over = false;

  private constructor(options: Options) {
    this.#options = options;
  }

  static async start(options: Options): Promise<Writers> {
    const { name, count, url, project, receiver, tenant } = options;
    const writers = new Writers(options);
    await receiver.behave(`/${name}`, { secrets: [SECRET] });
    const body = JSON.stringify({
      url: receiver.url(`/${name}`),
      events: ["exception.created"],
      secret: SECRET,
    });
    const headers = { ...(await project.headers(tenant)), "Content-Type": "application/json" };
    expect(await call(`${url}/v1/webhooks`, { method: "POST", headers, body })).toMatchObject({
      status: 201,
    });
    writers.#all = Promise.all(
      Array.from({ length: count }, (_, writer) => writers.#write(`${name} ${writer}`)),
    );
    return writers;
  }

  get slowestMs(): number {
    return Math.max(...this.responses.map(({ ms }) => ms));
  }

  /** @param share 0.5 is the median @param first the index of the first response that counts */
  quantileMs(share: number, first = 0): number {
    const times = this.responses
      .slice(first)
      .map(({ ms }) => ms)
      .sort((left, right) => left - right);
    return Math.round(times[Math.ceil(times.length * share) - 1] ?? Number.NaN);
  }

  /** Waits until this many more exceptions are created. */
  async makeMore(count: number, timeoutMs?: number): Promise<void> {
    const before = this.written.length;
    await until(
      `${count} more exceptions to be made`,
      () => this.written.length >= before + count,
      timeoutMs,
    );
  }

  async end(): Promise<void> {
    this.#over = true;
    await this.#all;
  }

  /**
   * Expects every acknowledged write to be stored once, with no others, and delivered at least
   * once, under one ID.
   */
  async expectNothingLost(): Promise<void> {
    const { name, project } = this.#options;
    const stored = await project.sql<{ title: string; times: number }>(
      `select title, count(*)::int as times from public.exceptions where title like $1 || ' %'
       group by title`,
      [name],
    );
    expect(new Map(stored.map(({ title, times }) => [title, times]))).toEqual(
      new Map(this.written.map((title) => [title, 1])),
    );
    await until("every write to be delivered", () =>
      this.written.every((title) => this.#deliveredIds().has(title)),
    );
    expect([...this.#deliveredIds()].filter(([, ids]) => ids.size !== 1)).toEqual([]);
  }

  #deliveredIds(): Map<string, Set<string>> {
    const delivered = new Map<string, Set<string>>();
    for (const { path, body, headers, verified } of this.#options.receiver.received) {
      if (path !== `/${this.#options.name}` || !verified.includes(SECRET)) continue;
      const { title } = (JSON.parse(body) as { data: { exception: { title: string } } }).data
        .exception;
      delivered.set(title, (delivered.get(title) ?? new Set()).add(headers["webhook-id"] ?? ""));
    }
    return delivered;
  }

  async #write(name: string): Promise<void> {
    const { url, project, tenant } = this.#options;
    for (let nth = 0; !this.#over; nth++) {
      const title = `${name}/${nth}`;
      const key = {
        "Content-Type": "application/json",
        "Idempotency-Key": title.replaceAll(" ", "-"),
      };
      const init = {
        method: "POST",
        headers: { ...(await project.headers(tenant)), ...key },
        body: JSON.stringify({ title, severity: "low" }),
      };
      for (let accepted = false; !accepted; ) {
        const answer = await call(`${url}/v1/exceptions`, init);
        this.responses.push(answer);
        accepted = answer.status === 201;
        if (!accepted) await sleep(RETRY_AFTER_MS);
      }
      this.written.push(title);
      await sleep(PAUSE_MS);
    }
  }
}
