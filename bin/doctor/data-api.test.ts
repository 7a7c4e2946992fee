import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { errors, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dataApiChecks } from "./data-api.ts";
import { type Finding, runChecks } from "./run-checks.ts";

const SECRET = "a secret of the project, of more than thirty-two bytes";

/** A healthy project's Data API, except for what a test changes. */
type DataApi = {
  knowsGetMe: boolean;
  isDown: boolean;
  acceptsAnySecret: boolean;
  exposed: string[];
};
const HEALTHY: DataApi = {
  knowsGetMe: true,
  isDown: false,
  acceptsAnySecret: false,
  exposed: ["public"],
};
let dataApi = HEALTHY;

const server = createServer(async ({ url, headers }, response) => {
  const isAccepted = await jwtVerify(
    headers.authorization?.slice("Bearer ".length) ?? "",
    new TextEncoder().encode(SECRET),
  ).then(
    () => true,
    (error) => dataApi.acceptsAnySecret && error instanceof errors.JWSSignatureVerificationFailed,
  );
  const status = () => {
    if (dataApi.isDown) return 503;
    if (!isAccepted) return 401;
    if (url === "/rest/v1/rpc/get_me") return dataApi.knowsGetMe ? 400 : 404;
    return dataApi.exposed.includes(String(headers["accept-profile"])) ? 403 : 406;
  };
  response.writeHead(status()).end("{}");
});
beforeAll(() => new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening)));
afterAll(() => new Promise((closed) => server.close(closed)));

async function found(faults: Partial<DataApi>): Promise<Record<string, Finding>> {
  dataApi = { ...HEALTHY, ...faults };
  const project = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publishableKey: "sb_publishable_1",
    secretKey: "sb_secret_1",
    jwtSecret: SECRET,
    directUrl: "",
    directName: "DATABASE_URL",
    requestUrl: "",
    maxBytes: 0,
    disk: "",
    bucket: "",
  } as const;
  const findings: Record<string, Finding> = {};
  for await (const finding of runChecks(project, dataApiChecks)) findings[finding.check] = finding;
  return findings;
}

describe("the doctor", () => {
  test("finds no problem with a healthy Data API", async () => {
    expect(Object.values(await found({})).map(({ verdict }) => verdict)).toEqual([
      "ok",
      "ok",
      "ok",
      "ok",
      "ok",
    ]);
  });

  test.each<[string, string, Partial<DataApi>, RegExp]>([
    [
      "Data API",
      "one that has not reloaded its schema since the migrations",
      { knowsGetMe: false },
      /^it doesn't know get_me$/,
    ],
    ["Data API", "one that is down", { isDown: true }, /^it answers 503$/],
    [
      "JWT secret",
      "one that accepts any token",
      { acceptsAnySecret: true },
      /^the Data API accepts a token signed with another secret$/,
    ],
    [
      "Exposed schemas",
      "one that exposes our private schemas",
      { exposed: ["public", "private"] },
      /^private can be reached$/,
    ],
  ])("reports under %s %s", async (check, _what, faults, says) => {
    expect((await found(faults))[check]).toMatchObject({
      verdict: "problem",
      found: expect.stringMatching(says),
      advice: expect.any(String),
    });
  });

  test("doesn't report exposed schemas if nothing answers", async () => {
    expect((await found({ isDown: true }))["Exposed schemas"]).toEqual({
      check: "Exposed schemas",
      verdict: "unknown",
      found: "the Data API doesn't answer",
    });
  });
});
