import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { beforeEach, expect, test, vi } from "vitest";
import { expressWebhook } from "../src/adapters/express.ts";
import { fastifyWebhook } from "../src/adapters/fastify.ts";
import { honoWebhook } from "../src/adapters/hono.ts";
import { nextWebhook } from "../src/adapters/next.ts";
import { type Delivery, sign } from "../src/index.ts";

const SECRET = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
const BODY = JSON.stringify({ type: "exception.created", timestamp: "t", data: { a: "ä" } });
const PATH = "/tieout";

const store = vi.fn<(delivery: Delivery) => unknown>();
beforeEach(() => {
  store.mockReset();
});

type Running = { port: number; stop: () => unknown };

async function listening(listener: RequestListener): Promise<Running> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, stop: () => server.close() };
}

const FRAMEWORKS: Record<string, () => Promise<Running>> = {
  "Express, before its parser": () =>
    listening(express().post(PATH, expressWebhook(SECRET, store)).use(express.json())),
  "Express, behind a raw parser": () => {
    const raw = express.raw({ type: "*/*", limit: "1mb" });
    return listening(express().post(PATH, raw, expressWebhook(SECRET, store)));
  },
  Fastify: async () => {
    const app = fastify().register(fastifyWebhook(PATH, SECRET, store));
    app.post("/other", async ({ body }) => body);
    const url = new URL(await app.listen({ host: "127.0.0.1", port: 0 }));
    return { port: Number(url.port), stop: () => app.close() };
  },
  "Hono on Node": async () => {
    const app = new Hono().post(PATH, honoWebhook(SECRET, store));
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
    await once(server, "listening");
    return { port: (server.address() as AddressInfo).port, stop: () => server.close() };
  },
};

test.each(Object.keys(FRAMEWORKS))(
  "%s accepts signed deliveries and rejects all others",
  async (name) => {
    const running = await (FRAMEWORKS[name] as () => Promise<Running>)();
    try {
      const post = async (headers: object, body = BODY) => {
        const { status } = await fetch(`http://127.0.0.1:${running.port}${PATH}`, {
          method: "POST",
          headers: { "Content-Type": "application/json", ...headers },
          body,
        });
        return status;
      };
      const headers = await sign(BODY, SECRET, { id: "evt_7" });
      expect(await post(headers)).toBe(204);
      expect(store).toHaveBeenCalledExactlyOnceWith({ ...JSON.parse(BODY), id: "evt_7" });
      expect(await post({ ...headers, "webhook-id": "evt_8" })).toBe(401);
      expect(await post(headers, `${BODY} `)).toBe(401);
      expect(await post(headers, "x".repeat(2 ** 20 + 1))).toBe(413);
      expect(store).toHaveBeenCalledOnce();
      // A delivery that couldn't be stored must be sent again.
      store.mockRejectedValue(new Error("The disk is full."));
      expect(await post(headers)).toBe(500);
    } finally {
      await running.stop();
    }
  },
);

test("an endless body is refused after 1 MiB", async () => {
  let sent = 0;
  const body = new ReadableStream({
    pull: (controller) => {
      sent += 100_000;
      controller.enqueue(new Uint8Array(100_000));
      if (sent >= 5_000_000) controller.close();
    },
  });
  const init = { method: "POST", body, duplex: "half", headers: await sign(BODY, SECRET) };
  const response = await nextWebhook(SECRET, store)(new Request("http://x/", init));
  expect(response.status).toBe(413);
  expect(sent).toBeLessThan(2_000_000);
  expect(store).not.toHaveBeenCalled();
});

test("a failure reaches Express's error handler, even in versions that don't await handlers", async () => {
  const failure = new Error("The disk is full.");
  store.mockRejectedValue(failure);
  const request = { headers: await sign(BODY, SECRET), body: BODY };
  const next = vi.fn();
  await expressWebhook(SECRET, store)(request as never, {} as never, next);
  expect(next).toHaveBeenCalledExactlyOnceWith(failure);
});

test("the other routes of Fastify keep their parser", async () => {
  const app = fastify().register(fastifyWebhook(PATH, SECRET, store));
  app.post("/other", async ({ body }) => body);
  const response = await app.inject({ method: "POST", url: "/other", payload: { a: 1 } });
  expect(response.json()).toEqual({ a: 1 });
  await app.close();
});

test("a Next route verifies events, and fails if the handler fails", async () => {
  const headers = await sign(BODY, SECRET);
  const request = () => new Request("http://x/", { method: "POST", body: BODY, headers });
  expect((await nextWebhook(SECRET, store)(request())).status).toBe(204);
  store.mockRejectedValue(new Error("The disk is full."));
  await expect(nextWebhook(SECRET, store)(request())).rejects.toThrow("The disk is full.");
});
