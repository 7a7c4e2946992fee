import { beforeAll, describe, expect, test } from "vitest";
import { uniqueName } from "#e2e/fixtures.ts";
import { openApiDocument } from "#lib/openapi/document.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import {
  BAD_BODIES,
  badQueryValues,
  bodyOfSize,
  type ParameterSchema,
  unstorableBodies,
} from "./bad-input.ts";
import { expectProblem, expectSameResponse } from "./conformance.ts";
import {
  createFixture,
  invoke,
  isTriedInFull,
  recordParams,
  takesBody,
  variants,
} from "./operation.ts";
import { type Fixture, type Sample, sampleFor } from "./samples.ts";

const document = openApiDocument();

const WITH_RECORD_ID = CONTRACTS.filter((contract) => recordParams(contract).length > 0);
const WITH_BODY = CONTRACTS.filter(takesBody);
const PAGED = CONTRACTS.filter(({ query }) => query.shape.cursor);

describe.each(CONTRACTS)("$operationId", (contract) => {
  const inFull = isTriedInFull(contract);
  let fixture: Fixture;
  let stranger: Fixture;
  /** A refused call changes nothing, so one sample serves all of them. */
  let sample: Sample;

  beforeAll(async () => {
    [fixture, stranger] = await Promise.all([createFixture(), createFixture()]);
    sample = await sampleFor(contract, fixture);
  });

  test("an unknown query parameter is 400", async () => {
    const refused: [string, string][][] = [[["no_such_parameter", "1"]], [["a\0b", "1"]]];
    for (const [name, schema] of queryParameters()) {
      const valid = String(schema.example);
      refused.push(
        [
          [name, valid],
          [name, valid],
        ],
        ...badQueryValues(schema).map((value): [string, string][] => [[name, value]]),
      );
    }
    for (const query of inFull ? refused : variants(refused, contract)) {
      const answer = await invoke(contract, fixture, { query }, sample);
      expectProblem(answer, "invalid_request", contract);
      expect(answer.json).toHaveProperty("errors.0.message");
    }
  });

  if (contract.query.shape.cursor)
    test("a cursor that it did not return is 400", async () => {
      const forged = Buffer.from(JSON.stringify(["id", ["' or 1=1 --"]])).toString("base64url");
      for (const cursor of variants(
        ["x", "e30", "W10", forged, "x".repeat(5000)],
        contract,
        PAGED,
      )) {
        expectProblem(
          await invoke(contract, fixture, { query: { cursor } }, sample),
          "invalid_request",
          contract,
        );
      }
    });

  if (recordParams(contract).length > 0)
    test("another tenant's record is the same 404 as an unknown one", async () => {
      const foreign = await sampleFor(contract, stranger);
      for (const name of recordParams(contract)) {
        const id = foreign.params?.[name] as string;
        const never = unknownId(id);
        const foreignAnswer = await invoke(
          contract,
          fixture,
          {},
          { ...sample, params: { ...sample.params, [name]: id } },
        );
        expectProblem(foreignAnswer, "not_found", contract);
        expectSameResponse(
          foreignAnswer,
          await invoke(
            contract,
            fixture,
            {},
            { ...sample, params: { ...sample.params, [name]: never } },
          ),
        );
      }
    });

  if (recordParams(contract).length > 0)
    test("an invalid identifier is 404, as an unknown one", async () => {
      for (const name of recordParams(contract)) {
        const call = (id: string) =>
          invoke(contract, fixture, {}, { ...sample, params: { ...sample.params, [name]: id } });
        const never = await call(unknownId(sample.params?.[name] as string));
        for (const id of variants(
          ["x", "' or 1=1 --", "%", "..%2f", "x".repeat(2000), "exc_", "\u{1F511}"],
          contract,
          WITH_RECORD_ID,
        )) {
          const answer = await call(id);
          expectProblem(answer, "not_found", contract);
          expectSameResponse(answer, never);
        }
      }
    });

  if (contract.path.startsWith("/v1/tenants/{id}"))
    test("a path tenant other than the header's is 403", async () => {
      for (const id of [stranger.tenant, uniqueName("t")]) {
        expectProblem(
          await invoke(contract, fixture, {}, { ...sample, params: { ...sample.params, id } }),
          "tenant_forbidden",
          contract,
        );
      }
    });

  if (contract.upload)
    test("an upload of an unsupported media type is 415", async () => {
      for (const type of ["application/json", "text/plain", "image/png", ""].filter(
        (value) => !contract.upload?.includes(value),
      )) {
        expectProblem(
          await invoke(contract, fixture, { headers: { "Content-Type": type } }, sample),
          "unsupported_media_type",
          contract,
        );
      }
    });

  if (takesBody(contract))
    describe("a body", () => {
      test.each(variants(Object.entries(BAD_BODIES), contract, WITH_BODY))(
        "of %s is 400",
        async (_name, body) => {
          expectProblem(
            await invoke(contract, fixture, { body }, sample),
            "invalid_request",
            contract,
          );
        },
      );

      test.runIf(inFull)("that can't be stored is 400", async () => {
        for (const [name, body] of unstorableBodies(sample.body ?? {})) {
          const answer = await invoke(contract, fixture, { body }, sample);
          expect(answer.status, `${name}: ${answer.text}`).toBe(400);
          expectProblem(answer, "invalid_request", contract);
        }
      });

      test("with an unknown field is 400", async () => {
        const body = { ...sample.body, no_such_field: 1 };
        if (contract.body?.safeParse(body).success) return;
        const answer = await invoke(contract, fixture, { body }, sample);
        expectProblem(answer, "invalid_request", contract);
        expect(answer.json).toHaveProperty("errors.0.path", "no_such_field");
      });

      test("with a field that only the server sets is 400", async () => {
        for (const name of [
          "id",
          "tenant_id",
          "created_by",
          "created_at",
          "updated_at",
          "soft_delete",
        ]) {
          const answer = await invoke(
            contract,
            fixture,
            { body: { ...sample.body, [name]: "x" } },
            sample,
          );
          if (
            contract.method === "PATCH" ||
            !contract.body?.safeParse({ ...sample.body, [name]: "x" }).success
          ) {
            expectProblem(answer, "invalid_request", contract);
          }
        }
      });

      test("of an unsupported media type is 415", async () => {
        const types = [
          "text/plain",
          "application/x-www-form-urlencoded",
          "multipart/form-data; boundary=x",
          "application/jsonp",
          "",
        ];
        for (const type of variants(types, contract, WITH_BODY)) {
          expectProblem(
            await invoke(
              contract,
              fixture,
              { body: "{}", headers: { "Content-Type": type } },
              sample,
            ),
            "unsupported_media_type",
            contract,
          );
        }
      });

      test("that is compressed is 415", async () => {
        const answer = await invoke(
          contract,
          fixture,
          { body: "{}", headers: { "Content-Encoding": "gzip" } },
          sample,
        );
        expectProblem(answer, "unsupported_media_type", contract);
        expect(answer.headers.get("accept-encoding")).toBe("identity");
      });

      test.runIf(inFull)("of one byte over the limit is 413", async () => {
        expectProblem(
          await invoke(contract, fixture, { body: bodyOfSize(contract.bodyMaxBytes + 1) }, sample),
          "payload_too_large",
          contract,
        );
        expect(
          (await invoke(contract, fixture, { body: bodyOfSize(contract.bodyMaxBytes) }, sample))
            .status,
        ).not.toBe(413);
      });

      test("is not validated for an unauthenticated caller", async () => {
        const answer = await invoke(contract, fixture, { bearer: undefined, body: "{" }, sample);
        expectProblem(answer, "unauthenticated", contract);
      });
    });

  function queryParameters(): [name: string, schema: ParameterSchema][] {
    const operation = document.paths?.[contract.path]?.[contract.method.toLowerCase() as "get"];
    const parameters = (operation?.parameters ?? []) as {
      in?: string;
      name: string;
      schema: ParameterSchema;
    }[];
    return parameters
      .filter((parameter) => parameter.in === "query")
      .map(({ name, schema }) => [name, schema]);
  }
});

/** An identifier of the same kind that doesn't exist. */
function unknownId(id: string): string {
  return id
    .replace(/(?<=^[0-9a-f]{8}-)[0-9a-f]{4}/, "0000")
    .replace(/[0-9a-f]{20,}$/, (digits) =>
      uniqueName("").replace("-", "").padEnd(digits.length, "0"),
    );
}
