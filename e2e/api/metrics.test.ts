import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stack } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { startWebProcess, type WebProcess } from "#e2e/web-process.ts";

const TOKEN = "prometheus-reads-this-and-nobody-else";

let web: WebProcess;
beforeAll(async () => {
  web = await startWebProcess({ METRICS_TOKEN: TOKEN });
});
afterAll(() => web.stop());

const scrape = (url: string, authorization?: string) =>
  fetch(`${url}/metrics`, { headers: authorization ? { authorization } : {} });

async function metric(line: string): Promise<number | undefined> {
  const text = await (await scrape(web.url, `Bearer ${TOKEN}`)).text();
  const found = text.split("\n").find((candidate) => candidate.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.split(" ").at(-1));
}

describe("metrics", () => {
  it("are 404 without METRICS_TOKEN", async () => {
    expect((await scrape(stack.url, "Bearer undefined")).status).toBe(404);
    expect((await scrape(stack.url, "Bearer ")).status).toBe(404);
  });

  it.each([undefined, "Bearer ", `Bearer ${TOKEN}x`, TOKEN, `Basic ${TOKEN}`])(
    "are refused with the authorization %j",
    async (authorization) => {
      const answer = await scrape(web.url, authorization);
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
      expect(await answer.text()).not.toContain("tieout_");
    },
  );

  it("are Prometheus text for the token", async () => {
    const answer = await scrape(web.url, `Bearer ${TOKEN}`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      200,
      expect.stringContaining("text/plain; version=0.0.4"),
    ]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  it("count the responses of each operation, including refusals", async () => {
    const line = 'tieout_request_duration_seconds_count{operation="getMe",status="401"}';
    const before = (await metric(line)) ?? 0;
    for (let call = 0; call < 3; call++) await fetch(`${web.url}/v1/me`);
    expect(await metric(line)).toBe(before + 3);
  });

  it("report the delay of background work", async () => {
    expect(await metric("tieout_database_up")).toBe(1);
    await until(
      "the worker to send a heartbeat",
      async () => ((await metric("tieout_worker_silence_seconds")) ?? 30) < 30,
    );
    // The lag is of all tenants, and other tests simulate the passing of time.
    await until(
      "the clock to keep up",
      async () => ((await metric("tieout_sla_clock_lag_seconds")) ?? 30) < 30,
    );
    for (const line of [
      "tieout_webhook_deliveries_pending",
      "tieout_webhook_delivery_lag_seconds",
      'tieout_jobs{status="failed"}',
    ])
      expect(await metric(line), line).toBeGreaterThanOrEqual(0);
  });

  it("report an unreachable database and stay available", async () => {
    const disconnected = await startWebProcess({
      METRICS_TOKEN: TOKEN,
      SUPABASE_URL: "http://127.0.0.1:9",
    });
    try {
      const answer = await scrape(disconnected.url, `Bearer ${TOKEN}`);
      expect([answer.status, await answer.text()]).toEqual([
        200,
        expect.stringContaining("tieout_database_up 0"),
      ]);
    } finally {
      await disconnected.stop();
    }
  });
});
