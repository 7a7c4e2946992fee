import { beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "#e2e/fixtures.ts";
import { WHOLE } from "#e2e/gate.ts";
import { until } from "#e2e/until.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import type { Contract } from "#lib/wire/contract.ts";
import { expectConforms, expectProblem } from "../contracts/conformance.ts";
import { createFixture, invoke } from "../contracts/operation.ts";
import { type Fixture, type Sample, sampleFor } from "../contracts/samples.ts";

const ETAG = /^"(?:\d{1,16}-)?[\w-]{16}"$/;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
});

/** One function compares all tags, so the gate tries only a third of the operations. */
const about = (method: string, declared: readonly Contract["resource"][]) =>
  CONTRACTS.filter(
    (contract) => contract.method === method && declared.includes(contract.resource),
  ).filter((_, place) => WHOLE || place % 3 === 0);

/** The operation that reads the resource that an operation changes. */
const readerOf = ({ path }: Contract) =>
  CONTRACTS.find((contract) => contract.method === "GET" && contract.path === path) as Contract;

const thisMinute = () => Math.floor(Date.now() / 60_000);
const tagOf = ({ headers }: Answer) => headers.get("etag") ?? "";

test("every operation that reads one resource by its ID returns an entity tag", () => {
  const bare = CONTRACTS.filter(
    ({ method, path, resource }) => method === "GET" && path.endsWith("}") && resource === null,
  );
  expect(bare.map(({ operationId }) => operationId)).toEqual([]);
});

describe.each(about("GET", ["versioned", "unversioned"]))("$operationId", (contract) => {
  test("returns a tag, and 304 without a body to a caller that has this version", async () => {
    const sample = await sampleFor(contract, fixture);
    const queries = async () => {
      const minute = thisMinute();
      const first = await invoke(contract, fixture, {}, sample);
      const again = await invoke(
        contract,
        fixture,
        { headers: { "If-None-Match": `"other", W/${tagOf(first)}` } },
        sample,
      );
      const other = await invoke(
        contract,
        fixture,
        { headers: { "If-None-Match": '"other"' } },
        sample,
      );
      return minute === thisMinute() && { first, again, other };
    };
    // `minutes_to_breach` changes with the minute.
    const { first, again, other } = await until("all calls to be within one minute", queries);
    expect(tagOf(first)).toMatch(ETAG);
    expect({ status: again.status, text: again.text, tag: tagOf(again) }).toEqual({
      status: 304,
      text: "",
      tag: tagOf(first),
    });
    expect(again.headers.get("x-request-id")).toMatch(/^req_/);
    expect(other.text).toBe(first.text);
  });
});

describe.each([
  ...about("PATCH", ["versioned"]),
  ...about("PUT", ["versioned"]),
  ...about("DELETE", ["versioned"]),
])("$operationId", (contract) => {
  const reader = readerOf(contract);
  const read = (sample: Sample) => invoke(reader, fixture, { query: {} }, sample);

  test("is applied only to the version in If-Match", async () => {
    const sample = await sampleFor(contract, fixture);
    const before = await read(sample);
    const stale = await invoke(
      contract,
      fixture,
      { headers: { "If-Match": '"4503599627370495-AAAAAAAAAAAAAAAA"' } },
      sample,
    );
    expectProblem(stale, "precondition_failed", contract);
    expect(tagOf(await read(sample)).split("-")[0]).toBe(tagOf(before).split("-")[0]);
    const current = await invoke(
      contract,
      fixture,
      { headers: { "If-Match": `"7", ${tagOf(before)}` } },
      sample,
    );
    expect(current.status, current.text).toBe(contract.status);
    expectConforms(contract, current);
    expect(tagOf(current)).toMatch(ETAG);
    const late = await invoke(
      contract,
      fixture,
      { headers: { "If-Match": tagOf(before) } },
      sample,
    );
    expect([412, 404], late.text).toContain(late.status);
  });

  test("without If-Match, or with *, it applies to any version", async () => {
    const sample = await sampleFor(contract, fixture);
    expect((await invoke(contract, fixture, { headers: { "If-Match": "*" } }, sample)).status).toBe(
      contract.status,
    );
  });

  test("rejects a malformed If-Match", async () => {
    const answer = await invoke(contract, fixture, { headers: { "If-Match": "7" } });
    expectProblem(answer, "invalid_request", contract);
  });
});

test("accepts one of two changes of the same version", async () => {
  const contract = CONTRACTS.find(
    ({ operationId }) => operationId === "updateException",
  ) as Contract;
  const sample = await sampleFor(contract, fixture);
  const tag = tagOf(await invoke(readerOf(contract), fixture, {}, sample));
  const change = (title: string) =>
    invoke(contract, fixture, { body: { title }, headers: { "If-Match": tag } }, sample);
  const answers = await Promise.all(Array.from({ length: 10 }, (_, nth) => change(`Title ${nth}`)));
  expect(answers.map(({ status }) => status).sort()).toEqual([
    200,
    ...Array.from({ length: 9 }, () => 412),
  ]);
});

test("time alone doesn't change the ETag, and never leads to a 304", async () => {
  const key = CONTRACTS.find(({ operationId }) => operationId === "getApiKey") as Contract;
  const sample = await sampleFor(key, fixture);
  const before = await invoke(key, fixture, {}, sample);
  const renamed = CONTRACTS.find(({ operationId }) => operationId === "updateApiKey") as Contract;
  const after = await invoke(
    renamed,
    fixture,
    { body: { name: "Renamed" }, headers: { "If-Match": tagOf(before) } },
    sample,
  );
  expect(after.status).toBe(200);
  const fresh = await invoke(key, fixture, { headers: { "If-None-Match": tagOf(before) } }, sample);
  expect(fresh.status).toBe(200);
});
