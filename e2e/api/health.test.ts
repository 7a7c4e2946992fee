import { describe, expect, it } from "vitest";
import { stack } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { startWebProcess } from "#e2e/web-process.ts";

describe("health", () => {
  it("is the process's at /healthz, the database's and the worker's at /readyz", async () => {
    expect(await (await fetch(`${stack.url}/healthz`)).json()).toEqual({ status: "ok" });
    const ready = await until("the service to be ready", async () => {
      const answer = await fetch(`${stack.url}/readyz`);
      return (
        answer.status === 200 && ((await answer.json()) as { working: Record<string, number> })
      );
    });
    // Other tests start additional matchers.
    const working = { matcher: expect.any(Number), worker: expect.any(Number) };
    expect(ready).toEqual({ status: "ready", checks: { database: "ok", worker: "ok" }, working });
    expect(Math.min(...Object.values(ready.working))).toBeGreaterThanOrEqual(1);
  });

  it.each([
    ["directly", { REQUEST_DATABASE_URL: "postgresql://nobody@127.0.0.1:9/postgres" }],
    ["by the Data API", { SUPABASE_URL: "http://127.0.0.1:9" }],
  ])(
    "is not ready if the database can't be reached %s, while the process stays alive and /v1 returns 503",
    async (_way, variables) => {
      const web = await startWebProcess(variables as Record<string, string>);
      try {
        expect((await fetch(`${web.url}/healthz`)).status).toBe(200);
        const ready = await fetch(`${web.url}/readyz`);
        expect([ready.status, await ready.json()]).toEqual([
          503,
          {
            status: "unavailable",
            checks: { database: "unreachable", worker: "unknown" },
            working: {},
          },
        ]);
        const me = await fetch(`${web.url}/v1/me`, {
          headers: { Authorization: `Bearer ${stack.secretKey}`, "X-Tenant-Id": "acme" },
        });
        expect([me.status, me.headers.get("retry-after")]).toEqual([503, "2"]);
        expect(await me.json()).toMatchObject({ code: "unavailable" });
      } finally {
        await web.stop();
      }
    },
  );
});
