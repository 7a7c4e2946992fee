import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AccessTokens, type Client } from "./access-token.ts";
import { createSender } from "./send.ts";

type TokenRequest = { authorization: string | undefined; type: string | undefined; body: string };

let endpoint: Server;
let client: Client;
let received: TokenRequest[];
let answer: { status: number; body: string };
const sender = createSender(new Set(["127.0.0.1"]));
const stop = new AbortController().signal;

beforeAll(async () => {
  endpoint = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const { authorization, "content-type": type } = request.headers;
    received.push({ authorization, type, body });
    if (answer.status === 0) return;
    response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
  });
  await new Promise<void>((listening) => endpoint.listen(0, "127.0.0.1", listening));
});
beforeEach(() => {
  received = [];
  answer = {
    status: 200,
    body: JSON.stringify({ access_token: "one", token_type: "Bearer", expires_in: 3600 }),
  };
  client = {
    id: "whs_1",
    token_url: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/token`,
    client_id: "tie:out",
    client_secret: "s&cret",
    scope: "webhooks:write",
  };
});
afterAll(async () => {
  endpoint.closeAllConnections();
  endpoint.close();
  await sender.close();
});

test("a token is requested by client credentials, and used until it expires", async () => {
  const tokens = new AccessTokens(sender);
  expect(await tokens.get(client, stop)).toBe("one");
  expect(await tokens.get(client, stop)).toBe("one");
  expect(received).toEqual([
    {
      authorization: `Basic ${Buffer.from("tie%3Aout:s%26cret").toString("base64")}`,
      type: "application/x-www-form-urlencoded",
      body: "grant_type=client_credentials&scope=webhooks%3Awrite",
    },
  ]);
  tokens.forget(client, "one");
  await tokens.get(client, stop);
  expect(received).toHaveLength(2);
  // Another secret gets another token.
  await tokens.get({ ...client, id: "whs_2" }, stop);
  expect(received).toHaveLength(3);
});

test("deliveries that start together share one request for a token", async () => {
  const tokens = new AccessTokens(sender);
  const all = await Promise.all(Array.from({ length: 20 }, () => tokens.get(client, stop)));
  expect(new Set(all)).toEqual(new Set(["one"]));
  expect(received).toHaveLength(1);
  // A failed request is not cached.
  tokens.forget(client, "one");
  answer.status = 503;
  await expect(tokens.get(client, stop)).rejects.toThrow("503");
  answer.status = 200;
  expect(await tokens.get(client, stop)).toBe("one");
});

test("a late refusal of an old token keeps the one that replaced it", async () => {
  const tokens = new AccessTokens(sender);
  await tokens.get(client, stop);
  answer.body = JSON.stringify({ access_token: "two", token_type: "Bearer", expires_in: null });
  tokens.forget(client, "one");
  await tokens.get(client, stop);
  tokens.forget(client, "one");
  expect(await tokens.get(client, stop)).toBe("two");
  expect(received).toHaveLength(2);
});

test("a token that expires within seconds is not cached", async () => {
  answer.body = JSON.stringify({ access_token: "one", token_type: "bearer", expires_in: "10" });
  const tokens = new AccessTokens(sender);
  await tokens.get(client, stop);
  await tokens.get(client, stop);
  expect(received).toHaveLength(2);
});

test.each([
  ["an error", 401, "{}", "The token endpoint responded with 401."],
  [
    "an error of the protocol",
    400,
    '{"error":"invalid_client"}',
    "The token endpoint responded with 400 and invalid_client.",
  ],
  [
    "an error in other words",
    400,
    '{"error":"Wrong secret: s&cret"}',
    "The token endpoint responded with 400.",
  ],
  ["a redirect", 302, "{}", "The token endpoint responded with 302."],
  ["no JSON", 200, "<html>", "The token endpoint's response has no bearer token."],
  [
    "a token of another type",
    200,
    '{"access_token":"a","token_type":"mac"}',
    "The token endpoint's response has no bearer token.",
  ],
  [
    "a token that would break the header",
    200,
    '{"access_token":"a\\r\\nX: 1","token_type":"bearer"}',
    "The token endpoint's response has no bearer token.",
  ],
])("%s is refused as a token", async (_name, status, body, message) => {
  answer = { status, body };
  await expect(new AccessTokens(sender).get(client, stop)).rejects.toThrow(message);
});

test("a private or unreachable token endpoint is refused like a receiver", async () => {
  const strict = createSender(new Set());
  await expect(new AccessTokens(strict).get(client, stop)).rejects.toMatchObject({
    message: expect.stringContaining("Not sent:"),
    failureKind: "blocked_address",
  });
  await strict.close();
  const absent = { ...client, token_url: "http://127.0.0.1:9/" };
  await expect(new AccessTokens(sender).get(absent, stop)).rejects.toThrow(
    "The token endpoint refused the connection.",
  );
});
