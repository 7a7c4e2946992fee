import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lastAccepted } from "#e2e/last-accepted.ts";
import { until } from "#e2e/until.ts";
import { Receiver } from "#e2e/webhooks/receiver.ts";
import { KINDS, type Kind, Machines } from "./machines.ts";
import type { Supervisor } from "./supervisor.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

let machines: Machines;
let receiver: Receiver;

beforeAll(async () => {
  machines = await Machines.start();
  receiver = await Receiver.start();
});
afterAll(async () => {
  await receiver.stop();
  await machines.stop();
});

async function call<Answer>(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer & { status: number }> {
  const response = await fetch(`${machines.balancer.url}${path}`, {
    method,
    headers: {
      ...(await machines.project.headers()),
      ...(body && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { ...((await response.json()) as Answer), status: response.status };
}

describe("two machines of each kind behind a load balancer", () => {
  test("lose and duplicate nothing while one of each is killed and replaced", async () => {
    await until("both web machines to be healthy", () => machines.balancer.healthy === 2);
    await receiver.behave("/machines", { secrets: [SECRET] });
    await call("POST", "/v1/webhooks", {
      url: receiver.url("/machines"),
      events: ["exception.sla.breached"],
      secret: SECRET,
    });

    const answers: { status: number; ms: number; during: Kind }[] = [];
    let during: Kind = "web";
    const acknowledged = new Set<string>();
    let over = false;
    const writers = Array.from({ length: 3 }, async (_, writer) => {
      for (let nth = 0; !over; nth++) {
        const title = `machines ${writer}/${nth}`;
        const due_at = new Date(Date.now() + 1_000).toISOString();
        const key = { "Idempotency-Key": `machines-${writer}-${nth}` };
        const since = performance.now();
        const { status } = await call(
          "POST",
          "/v1/exceptions",
          { title, severity: "low", due_at },
          key,
        ).catch(() => ({ status: 0 }));
        answers.push({ status, ms: performance.now() - since, during });
        if (status === 201) acknowledged.add(title);
        await sleep(100);
      }
    });
    for (const kind of KINDS) {
      during = kind;
      await machines.replace(kind);
    }
    over = true;
    await Promise.all(writers);

    expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
    const stored = await machines.project.sql<{ title: string; times: number }>(
      `select title, count(*)::int as times from public.exceptions where title like 'machines %'
       group by title`,
    );
    expect(new Set(stored.map(({ title }) => title))).toEqual(acknowledged);
    expect(stored.filter(({ times }) => times !== 1)).toEqual([]);
    const received = await receiver.gets("/machines", acknowledged.size, 150_000);
    const delivered = new Set(
      received.map(
        ({ body }) =>
          (JSON.parse(body) as { data: { exception: { title: string } } }).data.exception.title,
      ),
    );
    expect([...acknowledged].filter((title) => !delivered.has(title))).toEqual([]);
    const [events] = await machines.project.sql<{ count: number }>(
      `select count(*)::int from public.events where type = 'exception.sla.breached'
         and data #>> '{exception,title}' like 'machines %'`,
    );
    expect(events?.count).toBe(acknowledged.size);
    for (const [killed, own] of Map.groupBy(answers, (answer) => answer.during)) {
      const times = own.map(({ ms }) => ms).sort((left, right) => left - right);
      const p99 = Math.round(times[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN);
      console.log(
        `${killed} killed and replaced: ${own.length} calls, ` +
          `all acknowledged, lost 0, doubled 0; p99 ${p99} ms`,
      );
    }
  });

  test("read an import on any running matcher", async () => {
    const { id: source } = await call<{ id: string }>("POST", "/v1/sources", {
      name: "Machines",
      kind: "bank_statement",
      currency: "EUR",
    });
    const response = await fetch(`${machines.balancer.url}/v1/sources/${source}/imports`, {
      method: "POST",
      headers: { ...(await machines.project.headers()), "Content-Type": "text/csv" },
      body: "value_date,amount,reference\n2026-10-25,12.34,machines-1\n",
    });
    expect(response.status).toBe(202);
    const { id } = (await response.json()) as { id: string };
    type Read = { status: string; accepted_count: number };
    await until(
      "the import to be read",
      async () => (await call<Read>("GET", `/v1/imports/${id}`)).accepted_count === 1,
    );
  });

  test("apply a revocation on the other machine within a second", async () => {
    const { id, key_id, key_secret } = await call<{
      id: string;
      key_id: string;
      key_secret: string;
    }>("POST", "/v1/tenants/acme/api-keys", {
      name: "Two machines",
      scopes: ["read:exceptions"],
      idempotency_key: "machines",
    });
    const asks = ({ port }: Supervisor) =>
      fetch(`http://127.0.0.1:${port}/v1/me`, {
        headers: { Authorization: `Bearer ${key_id}.${key_secret}`, "X-Tenant-Id": "acme" },
      }).then(({ status }) => status);
    for (const web of machines.of("web")) expect(await asks(web)).toBe(200);
    expect(
      (await call("DELETE", `/v1/tenants/acme/api-keys/${id}`, { reason: "proved" })).status,
    ).toBe(200);
    const since = performance.now();
    for (const web of machines.of("web"))
      expect(
        (await lastAccepted(since, async () => (await asks(web)) === 401)) - since,
      ).toBeLessThan(1_000);
  });
});
