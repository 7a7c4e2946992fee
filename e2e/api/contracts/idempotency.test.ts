import { beforeAll, describe, expect, test } from "vitest";
import { api, uniqueName, userToken } from "#e2e/fixtures.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import { expectConforms, expectProblem } from "./conformance.ts";
import { createFixture, invoke, isTriedInFull, pathOf, variants } from "./operation.ts";
import { type Fixture, sampleFor } from "./samples.ts";

const MAX_KEY_LENGTH = 255;
const INVALID_KEYS = ["", "x".repeat(MAX_KEY_LENGTH + 1), 1, {}, ["a"], true, "a\0b", "\ud800"];

/** Uploads are stored in batches, which have their own tests. */
const contracts = CONTRACTS.filter(({ idempotency, upload }) => idempotency && !upload).filter(
  // One function stores all responses, so the gate tries only a fifth of the operations.
  (contract, place) => isTriedInFull(contract) || place % 5 === 0,
);

describe.each(contracts)("$operationId", (contract) => {
  const inFull = isTriedInFull(contract);
  const { field, required } = contract.idempotency ?? { field: "idempotency_key", required: false };
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await createFixture();
  });

  test("the same key and request replay the first response", async () => {
    const sample = await sampleFor(contract, fixture);
    const key = uniqueName("key");
    const first = await invoke(
      contract,
      fixture,
      { body: { ...sample.body, [field]: key } },
      sample,
    );
    expect(first.status, first.text).toBe(contract.status);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    const bySameField = await invoke(
      contract,
      fixture,
      { body: { ...sample.body, [field]: key } },
      sample,
    );
    const byHeader = await invoke(
      contract,
      fixture,
      { body: reversed(sample.body), headers: { "Idempotency-Key": key } },
      sample,
    );
    for (const again of [bySameField, byHeader]) {
      expect(again.text).toBe(first.text);
      expect(again.status).toBe(first.status);
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expectConforms(contract, again);
    }
  });

  test.runIf(inFull)("ten concurrent calls with one key take effect once", async () => {
    const sample = await sampleFor(contract, fixture);
    const body = { ...sample.body, [field]: uniqueName("key") };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => invoke(contract, fixture, { body }, sample)),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(
      answers.filter(({ headers }) => headers.get("idempotency-replayed") === null),
    ).toHaveLength(1);
  });

  test.runIf(inFull)("the same key for another request is 422", async () => {
    const [sample, other] = [
      await sampleFor(contract, fixture),
      await sampleFor(contract, fixture),
    ];
    if (JSON.stringify([sample.params, sample.body]) === JSON.stringify([other.params, other.body]))
      return;
    const headers = { "Idempotency-Key": uniqueName("key") };
    expect((await invoke(contract, fixture, { headers }, sample)).status).toBe(contract.status);
    expectProblem(
      await invoke(contract, fixture, { headers }, other),
      "idempotency_mismatch",
      contract,
    );
  });

  test.runIf(inFull)("a key is scoped to its tenant and its principal", async () => {
    const headers = { "Idempotency-Key": uniqueName("key") };
    const sample = await sampleFor(contract, fixture);
    await invoke(contract, fixture, { headers }, sample);
    const colleague = {
      ...fixture,
      admin: await userToken(fixture.tenant, ["tenant_admin"], "bob"),
    };
    const elsewhere = await createFixture();
    for (const other of [colleague, elsewhere]) {
      const answer = await invoke(contract, other, { headers }, await sampleFor(contract, other));
      expect(answer.status, answer.text).toBe(contract.status);
      expect(answer.headers.get("idempotency-replayed")).toBeNull();
    }
  });

  test("an invalid key is 400", async () => {
    const sample = await sampleFor(contract, fixture);
    for (const key of variants(INVALID_KEYS, contract, contracts)) {
      expectProblem(
        await invoke(contract, fixture, { body: { ...sample.body, [field]: key } }, sample),
        "invalid_request",
        contract,
      );
    }
    if (!inFull) return;
    const different = {
      body: { ...sample.body, [field]: "a" },
      headers: { "Idempotency-Key": "b" },
    };
    expectProblem(await invoke(contract, fixture, different, sample), "invalid_request", contract);
  });

  test.runIf(inFull)("a key may have 255 characters", async () => {
    const sample = await sampleFor(contract, fixture);
    const answer = await invoke(
      contract,
      fixture,
      { body: { ...sample.body, [field]: "\u{1F511}".repeat(MAX_KEY_LENGTH) } },
      sample,
    );
    expect(answer.status, answer.text).toBe(contract.status);
  });

  if (required) {
    test("a missing key is 400", async () => {
      const { params, body = {} } = await sampleFor(contract, fixture);
      const call = { bearer: fixture.admin, tenant: fixture.tenant, body };
      expectProblem(
        await api(contract.method, pathOf(contract, params), call),
        "idempotency_key_required",
        contract,
      );
    });
  }
});

function reversed(body: object = {}): object {
  return Object.fromEntries(Object.entries(body).reverse());
}
