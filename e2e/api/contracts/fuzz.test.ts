import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CONTRACTS } from "#lib/contracts.ts";
import { openApiDocument } from "#lib/http/openapi.ts";
import { fitting, type JsonSchema, nearlyFitting } from "./arbitrary.ts";
import { faultsOf } from "./conformance.ts";
import { createWorld, invoke, recordParams } from "./operation.ts";
import { sampleFor } from "./samples.ts";

/** FUZZ_SEED and FUZZ_RUNS look further, or at one finding again. */
const SEED = Number(process.env.FUZZ_SEED ?? 20261120);
const RUNS = Number(process.env.FUZZ_RUNS ?? 60);
const TIMEOUT_MS = 1000 * RUNS;

type Operation = {
  parameters?: { in?: string; name: string; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
};

const document = JSON.parse(JSON.stringify(openApiDocument()));

describe(`fuzz of ${RUNS} calls each, seed ${SEED}`, () => {
  test.each(CONTRACTS)("$operationId never fails, and every answer fits OpenAPI", { timeout: TIMEOUT_MS }, async (contract) => {
    const operation: Operation = document.paths[contract.path][contract.method.toLowerCase()];
    const body = operation.requestBody?.content["application/json"]?.schema;
    const world = await createWorld();
    const sample = await sampleFor(contract, world);
    const statuses = new Set<number>();
    const call = fc.record({
      body: body ? mostlyFitting(body) : fc.constant(undefined),
      query: queryOf(operation),
      params: paramsOf(sample.params ?? {}, recordParams(contract)),
    });

    await fc.assert(
      fc.asyncProperty(call, async (given) => {
        const sent = given.body === undefined ? {} : { body: JSON.stringify(given.body) };
        const answer = await invoke(contract, world, { query: given.query, ...sent }, { ...sample, params: given.params });
        statuses.add(answer.status);
        expect(answer.status, answer.text).toBeLessThan(500);
        expect(faultsOf(contract, answer), answer.text).toEqual([]);
      }),
      { seed: SEED, numRuns: RUNS },
    );
    expect(statuses, "No call got through: the fuzz sees refusals only.").toContain(contract.status);
  });
});

function mostlyFitting(schema: JsonSchema): fc.Arbitrary<unknown> {
  const definitions = document.components.schemas;
  return fc.oneof({ weight: 3, arbitrary: fitting(schema, definitions) }, { weight: 2, arbitrary: nearlyFitting(schema, definitions) });
}

function queryOf({ parameters = [] }: Operation): fc.Arbitrary<[string, string][]> {
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const one = inQuery.map(({ name, schema }) =>
    fc.option(
      fc
        .oneof({ weight: 5, arbitrary: fitting(schema).map(String) }, fc.string({ unit: "grapheme" }))
        .map((value): [string, string] => [name, value]),
      {
        freq: 1,
      },
    ),
  );
  const stray = fc.option(fc.tuple(fc.string(), fc.string()), { freq: 1, nil: null });
  return fc
    .tuple(
      ...one,
      fc.integer({ min: 0, max: 9 }).chain((dice) => (dice === 0 ? stray : fc.constant(null))),
    )
    .map((given) => given.filter((pair) => pair !== null));
}

/** Now and then an identifier that is none. */
function paramsOf(own: Record<string, string>, names: string[]): fc.Arbitrary<Record<string, string>> {
  const strange = fc.string({ unit: "binary", minLength: 1 }).filter((value) => value.isWellFormed() && !/^\.{1,2}$/.test(value));
  const replaced = names.map((name) => strange.map((value) => ({ ...own, [name]: value })));
  return fc.oneof({ weight: 9, arbitrary: fc.constant(own) }, ...replaced);
}
