import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CONTRACTS } from "#lib/wire/operations.ts";
import { faultsOf } from "./conformance.ts";
import { callOf } from "./fuzz-call.ts";
import { createWorld, invoke } from "./operation.ts";
import { type Sample, sampleFor } from "./samples.ts";

/** FUZZ_SEED and FUZZ_RUNS look further, or at one finding again. */
const SEED = Number(process.env.FUZZ_SEED ?? 20261120);
const RUNS = Number(process.env.FUZZ_RUNS ?? 40);
const TIMEOUT_MS = 1000 * RUNS;

/** What is read by many filters rarely comes through by chance. */
const asSampled = ({ query = {}, params = {} }: Sample) => ({ type: "application/json", query: Object.entries(query), params });

describe(`fuzz of ${RUNS} calls each, seed ${SEED}`, () => {
  test.each(CONTRACTS)("$operationId never fails, and every answer fits OpenAPI", { timeout: TIMEOUT_MS }, async (contract) => {
    const world = await createWorld();
    const sample = await sampleFor(contract, world);
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(callOf(contract, sample), async ({ body, type, query, params }) => {
        const answer = await invoke(
          contract,
          world,
          { query, body, headers: body === undefined ? {} : { "Content-Type": type } },
          { params },
        );
        statuses.add(answer.status);
        expect(answer.status, answer.text).toBeLessThan(500);
        expect(faultsOf(contract, answer), answer.text).toEqual([]);
      }),
      { seed: SEED, numRuns: RUNS, examples: contract.method === "GET" ? [[asSampled(sample)]] : [] },
    );
    expect(statuses, "No call got through: the fuzz sees refusals only.").toContain(contract.status);
  });
});
