import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import { faultsOf } from "./conformance.ts";
import { callOf } from "./fuzz-call.ts";
import { brokenInvariants } from "./invariants.ts";
import { createFixture, invoke } from "./operation.ts";
import { type Sample, sampleFor } from "./samples.ts";

/** FUZZ_SEED repeats a finding. FUZZ_CASES is the number of cases of all operations together. */
const SEED = Number(process.env.FUZZ_SEED ?? 20261120);
const RUNS = process.env.FUZZ_CASES
  ? Math.ceil(Number(process.env.FUZZ_CASES) / CONTRACTS.length)
  : 40;
const TIMEOUT_MS = 300_000 + 1000 * RUNS;
const SETTINGS = `${RUNS * CONTRACTS.length} cases, FUZZ_SEED=${SEED}`;

beforeAll(() => console.log(`Fuzz: ${SETTINGS}`));

/** The sample itself, because random calls with many filters rarely pass validation. */
const sampleAsCall = ({ query = {}, params = {} }: Sample) => ({
  type: "application/json",
  query: Object.entries(query),
  params,
});

describe(`fuzz of ${SETTINGS}`, () => {
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
          examples: contract.method === "GET" ? [[sampleAsCall(sample)]] : [],
        },
      );
      expect(await brokenInvariants(fixture.tenant)).toEqual([]);
      expect(statuses, "No call succeeded: the fuzz test sees only refusals.").toContain(
        contract.status,
      );
    },
  );
});
