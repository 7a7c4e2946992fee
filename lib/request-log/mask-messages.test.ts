import { describe, expect, test } from "vitest";
import { newApiKey } from "../api-keys/contract.ts";
import { CONTRACTS } from "../openapi/operations.ts";
import { maskSecrets, REDACTED } from "../runtime/mask-secrets.ts";
import { createWebhookContract, rotateWebhookSecretContract } from "../webhooks/contract.ts";
import type { Contract } from "../wire/contract.ts";
import { maskedRequest, maskedResponse, secretFields } from "./mask-messages.ts";

const webhook = createWebhookContract as unknown as Contract;
const sent = (body: string, headers: Record<string, string> = {}) => ({
  headers: new Headers(headers),
  body,
  bytes: body.length,
});

describe("the logged bodies of a call", () => {
  test("hide every field that the contract marks as secret, wherever it was sent", () => {
    const body = JSON.stringify({
      url: "https://a.example/",
      secret: "hunter22",
      more: { secret: ["hunter22"] },
    });
    const masked = maskedRequest(webhook, sent(body));
    expect(JSON.parse(masked.body ?? "")).toEqual({
      url: "https://a.example/",
      secret: REDACTED,
      more: { secret: REDACTED },
    });
  });

  test("omit an unparseable body that may contain a secret", () => {
    expect(maskedRequest(webhook, sent('{"secret": "hunter22"'))).toMatchObject({
      body: null,
      truncated: true,
    });
  });

  test("hide credentials and idempotency keys in a body whose contract has no secrets", () => {
    const secret = `tks_${"a".repeat(49)}`;
    const body = `{"title":"${secret}","idempotency_key":"k-\\"1","note":"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}`;
    expect(maskedRequest(null, sent(body)).body).toBe(
      `{"title":"${REDACTED}","idempotency_key":"${REDACTED}","note":"${REDACTED}"}`,
    );
  });

  test("contain the beginning of a long body, and its length", () => {
    const masked = maskedResponse(null, sent(`"${"x".repeat(9000)}"`), false);
    expect(masked).toMatchObject({ bytes: 9002, truncated: true });
    expect(masked.body).toHaveLength(4096);
  });

  test("never end with half a character, which the database would reject", () => {
    const masked = maskedRequest(null, sent(`${"x".repeat(4095)}\u{1F9FE}`));
    expect(masked.body).toBe(`${"x".repeat(4095)}\uFFFD`);
  });

  test("hide an idempotency key that the limit cuts in two", () => {
    const masked = maskedRequest(
      null,
      sent(`{"pad":"${"x".repeat(4050)}","idempotency_key":"secret-of-mine-that-goes-on"}`),
    );
    expect(masked.body).not.toContain("secret-of-mine");
  });
});

describe("the logged headers of a call", () => {
  test("contain the public part of a credential, and no cookie, token or key", () => {
    const { headers } = maskedRequest(
      null,
      sent("", {
        authorization: `Bearer tk_${"1".repeat(22)}.tks_${"2".repeat(49)}`,
        cookie: "session=abc",
        apikey: "sb_secret_abcdefghijk",
        "idempotency-key": "k-1",
        "x-auth-token": "abc",
        "x-inbound-client-address": "203.0.113.9",
        "user-agent": "curl/8",
      }),
    );
    expect(headers).toEqual({
      authorization: `Bearer tk_${"1".repeat(22)}.${REDACTED}`,
      cookie: REDACTED,
      apikey: REDACTED,
      "idempotency-key": REDACTED,
      "x-auth-token": REDACTED,
      "user-agent": "curl/8",
    });
  });

  test("hide a JWT in a header of any name", () => {
    const { headers } = maskedRequest(
      null,
      sent("", { "x-note": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_def" }),
    );
    expect(headers["x-note"]).toBe(REDACTED);
  });

  test("are at most forty, each cut at 512 characters", () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, nth) => [`x-h${nth}`, "v".repeat(2000)]),
    );
    const { headers } = maskedRequest(null, sent("", many));
    expect(Object.keys(headers)).toHaveLength(40);
    expect(Math.max(...Object.values(headers).map((value) => value.length))).toBe(512);
  });
});

describe("contracts mark as secret", () => {
  test("what they return once, and what callers send for safekeeping", () => {
    expect([...secretFields(newApiKey)]).toEqual(["key_secret"]);
    expect([...secretFields(createWebhookContract.response)]).toEqual(["secret"]);
    expect([...secretFields(rotateWebhookSecretContract.body as never)]).toEqual(["secret"]);
  });

  test("every field with a secret's name", () => {
    const text = (schema: Contract["body"]) => JSON.stringify(schema ? names(schema) : []);
    for (const { operationId, body, response } of CONTRACTS)
      for (const schema of [body, response])
        for (const [, name = ""] of text(schema).matchAll(
          /"((?:\w+_)?(?:secret|password|token|private_key))"/g,
        ))
          expect(secretFields(schema as never), `${operationId}: ${name}`).toContain(name);
  });
});

function names(schema: unknown, depth = 0): string[] {
  const def = (schema as { _zod?: { def: Record<string, unknown> } })?._zod?.def;
  if (!def || depth > 12) return [];
  const shape = (def.shape ?? {}) as Record<string, unknown>;
  const parts = [
    def.innerType,
    def.in,
    def.element,
    def.valueType,
    ...((def.options as unknown[]) ?? []),
    ...Object.values(shape),
  ];
  return [...Object.keys(shape), ...parts.flatMap((part) => names(part, depth + 1))];
}

test("leaves a text without credentials unchanged", () => {
  expect(maskSecrets("/v1/exceptions/exc_1")).toBe("/v1/exceptions/exc_1");
});
