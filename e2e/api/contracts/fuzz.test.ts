import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import { faultsOf } from "./conformance.ts";
import { callOf } from "./fuzz-call.ts";
import { brokenInvariants } from "./invariants.ts";
import { createFixture, invoke } from "./operation.ts";
import { type Sample, sampleFor } from "./samples.ts";

/** FUZZ_SEED and FUZZ_CASES, of all operations together, look further, or at one finding again. */
const SEED = Number(process.env.FUZZ_SEED ?? 20261120);
const RUNS = process.env.FUZZ_CASES
  ? Math.ceil(Number(process.env.FUZZ_CASES) / CONTRACTS.length)
  : 40;
const TIMEOUT_MS = 300_000 + 1000 * RUNS;
const WAYS = `${RUNS * CONTRACTS.length} cases, FUZZ_SEED=${SEED}`;

beforeAll(() => console.log(`Fuzz: ${WAYS}`));

/** Calls with many filters rarely pass validation by chance. */
const asSampled = ({ query = {}, params = {} }: Sample) => ({
  type: "application/json",
  query: Object.entries(query),
  params,
});

describe(`fuzz of ${WAYS}`, () => {
  test.each(CONTRACTS)(
    "$operationId never returns 500, each response fits OpenAPI, and the database's invariants hold",
    { timeout: TIMEOUT_MS },
    async (contract) => {
      const fixture = await createFixture();
      const sample = await sampleFor(contract, fixture);
      const statuses = new Set<number>();
      await fc.assert(
        fc.asyncProperty(callOf(contract, sample), async ({ body, type, query, params }) => {
          const answer = await invoke(
            contract,
            fixture,
            { query, body, headers: body === undefined ? {} : { "Content-Type": type } },
            { ...(sample.tenant && { tenant: sample.tenant }), params },
          );
          statuses.add(answer.status);
          expect(answer.status, answer.text).toBeLessThan(500);
          expect(faultsOf(contract, answer), answer.text).toEqual([]);
        }),
        {
          seed: SEED,
          numRuns: RUNS,
          examples: contract.method === "GET" ? [[asSampled(sample)]] : [],
        },
      );
      expect(await brokenInvariants(fixture.tenant)).toEqual([]);
      expect(statuses, "No call got through: the fuzz sees refusals only.").toContain(
        contract.status,
      );
    },
  );
});
