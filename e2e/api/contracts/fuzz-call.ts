import fc from "fast-check";
import { openApiDocument } from "#lib/openapi/document.ts";
import type { Contract } from "#lib/wire/contract.ts";
import { type JsonSchema, mutated, oddValues, validValues } from "./arbitrary.ts";
import { recordParams } from "./operation.ts";
import type { Sample } from "./samples.ts";

type Operation = {
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
};

type Parameter = { in: string; name: string; schema: JsonSchema };

type Fuzzed = {
  body?: string;
  type: string;
  query: [name: string, value: string][];
  params: Record<string, string>;
};

const document = JSON.parse(JSON.stringify(openApiDocument()));

/**
 * Valid and nearly valid calls of an operation, generated from its schemas and by mutating a sample
 * that is known to be valid.
 */
export function callOf(contract: Contract, sample: Sample): fc.Arbitrary<Fuzzed> {
  const operation: Operation = document.paths[contract.path][contract.method.toLowerCase()];
  return fc
    .record({
      sent: contract.upload ? uploadOf(contract, sample) : bodyOf(operation, sample),
      query: queryOf(operation, sample),
      params: paramsOf(contract, sample),
    })
    .map(({ sent, ...call }) => ({ ...sent, ...call }));
}

function resolve(parameter: Parameter | { $ref: string }): Parameter {
  if (!("$ref" in parameter)) return parameter;
  return document.components.parameters[parameter.$ref.split("/").at(-1) ?? ""];
}

type Sent = { body?: string; type: string };

function bodyOf({ requestBody }: Operation, { body = {} }: Sample): fc.Arbitrary<Sent> {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (!type || !media) return fc.constant({ type: "application/json" });
  const valid = validValues(media.schema, document.components.schemas);
  const known = fc.constant(body);
  return fc
    .oneof(
      { weight: 4, arbitrary: valid },
      { weight: 2, arbitrary: mutated(valid) },
      { weight: 1, arbitrary: known },
      { weight: 3, arbitrary: mutated(known) },
    )
    .map((value) => ({ type, body: JSON.stringify(value) }));
}

function uploadOf({ upload }: Contract, sample: Sample): fc.Arbitrary<Sent> {
  const line = fc.oneof(
    fc.constant(sample.upload?.text.trim() ?? ""),
    oddValues.map((value) => JSON.stringify(value)),
    fc.string({ unit: "grapheme" }),
  );
  const text = fc
    .tuple(fc.array(line, { maxLength: 6 }), fc.constantFrom("\n", "\r\n", "\n\n"))
    .map(([lines, end]) => lines.join(end));
  return fc.record({ type: fc.constantFrom(...(upload ?? [])), body: text });
}

function queryOf(
  { parameters = [] }: Operation,
  { query = {} }: Sample,
): fc.Arbitrary<[string, string][]> {
  const one = parameters
    .map(resolve)
    .filter((parameter) => parameter.in === "query")
    .map(({ name, schema }) => {
      const values = fc.oneof(
        { weight: 5, arbitrary: validValues(schema, document.components.schemas).map(String) },
        fc.string({ unit: "grapheme" }),
      );
      const fuzzed =
        query[name] === undefined
          ? fc.option(values)
          : fc.oneof({ weight: 3, arbitrary: fc.constant(query[name]) }, fc.option(values));
      return fuzzed.map((value): [string, string][] => (value === null ? [] : [[name, value]]));
    });
  const stray = fc.oneof(
    { weight: 9, arbitrary: fc.constant([]) },
    fc.tuple(fc.string(), fc.string()).map((pair) => [pair]),
  );
  return fc.tuple(...one, stray).map((parts) => parts.flat());
}

/** The sample's path parameters, occasionally with a malformed identifier. */
function paramsOf(
  contract: Contract,
  { params = {} }: Sample,
): fc.Arbitrary<Record<string, string>> {
  const strange = fc
    .string({ unit: "binary", minLength: 1 })
    .filter((value) => value.isWellFormed() && !/^\.{1,2}$/.test(value));
  const replaced = recordParams(contract).map((name) =>
    strange.map((value) => ({ ...params, [name]: value })),
  );
  return fc.oneof({ weight: 9, arbitrary: fc.constant(params) }, ...replaced);
}
