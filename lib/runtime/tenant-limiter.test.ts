import { describe, expect, test, vi } from "vitest";
import { callLimits, type Priority } from "../db/call-limits.ts";
import { TenantLimiter } from "./tenant-limiter.ts";

/** Runs calls that end on request, and records which have started. */
function bench(processes = 1) {
  const limiter = new TenantLimiter(callLimits(processes));
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const call = (tenant: string, kind: Priority, name: string) => {
    const result = limiter.run(tenant, kind, () => {
      begun.push(name);
      return new Promise<void>((end) => ends.set(name, end));
    });
    // Calls that still wait when their test ends time out later, during another file's tests.
    result.catch(() => {});
    return result;
  };
  const many = (count: number, tenant: string, kind: Priority) =>
    Array.from({ length: count }, (_, n) => call(tenant, kind, `${tenant} ${kind} ${n}`));
  return { begun, call, many, end: (name: string) => ends.get(name)?.() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("limiter of calls", () => {
  test("one tenant's searches leave room for its own pages and for others' searches", async () => {
    const { begun, many, call } = bench();
    many(20, "acme", "search");
    void call("acme", "interactive", "own page");
    void call("globex", "search", "other search");
    void call("globex", "interactive", "other page");
    await settled();
    expect(begun).toEqual([
      "acme search 0",
      "acme search 1",
      "own page",
      "other search",
      "other page",
    ]);
  });

  test("one tenant's calls never fill the whole limit", async () => {
    const { begun, many, call } = bench();
    many(100, "acme", "interactive");
    void call("globex", "interactive", "other");
    await settled();
    expect(begun).toHaveLength(9);
    expect(begun.at(-1)).toBe("other");
  });

  test("many tenants' long calls leave three quarters of the limit to interactive calls", async () => {
    const { begun, many, call } = bench();
    for (let tenant = 0; tenant < 30; tenant++) many(2, `t${tenant}`, "export");
    void call("acme", "interactive", "page");
    await settled();
    expect(begun).toHaveLength(5);
    expect(begun.at(-1)).toBe("page");
  });

  test("a free place goes to the tenant with the fewest running calls", async () => {
    const { begun, many, call, end } = bench();
    many(20, "acme", "interactive");
    many(20, "globex", "interactive");
    void call("initech", "interactive", "late");
    await settled();
    expect(begun).not.toContain("late");
    end("acme interactive 0");
    await settled();
    expect(begun.at(-1)).toBe("late");
  });

  test("every waiting call starts eventually, even if others fail", async () => {
    const limiter = new TenantLimiter(callLimits(4));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 120 }, (_, n) =>
        limiter.run(`t${n % 3}`, n % 2 ? "interactive" : "export", async () => {
          await settled();
          if (n % 5 === 0) throw new Error("failed");
        }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(96);
  });

  test("rejects a call when too many of the tenant wait, and after waiting for 10 s", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { many } = bench();
      const codes: string[] = [];
      for (const call of many(23, "acme", "search"))
        call.catch(({ code }: { code: string }) => codes.push(code));
      await settled();
      expect(codes).toEqual(["rate_limited"]);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(codes.slice(1)).toEqual(Array(20).fill("unavailable"));
    } finally {
      vi.useRealTimers();
    }
  });
});
