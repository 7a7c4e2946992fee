import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bucketChecks } from "./bucket.ts";
import { type Finding, runChecks } from "./run-checks.ts";

const PRIVATE = { public: false, file_size_limit: null, allowed_mime_types: null };
const MISSING = { statusCode: "404", error: "Bucket not found", message: "Bucket not found" };

let answer: { status: number; body: object } = { status: 200, body: PRIVATE };
const server = createServer(({ url, headers }, response) => {
  const isKnown = url === "/storage/v1/bucket/evidence" && headers.apikey === "sb_secret_1";
  response
    .writeHead(isKnown ? answer.status : 403, { "Content-Type": "application/json" })
    .end(JSON.stringify(isKnown ? answer.body : {}));
});
beforeAll(() => new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening)));
afterAll(() => new Promise((closed) => server.close(closed)));

async function found(bucket: string, status = 200, body: object = PRIVATE): Promise<Finding> {
  answer = { status, body };
  const project = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publishableKey: "sb_publishable_1",
    secretKey: "sb_secret_1",
    jwtSecret: "",
    directUrl: "",
    directName: "DATABASE_URL",
    requestUrl: "",
    maxBytes: 0,
    disk: "",
    bucket,
  } as const;
  const { value } = await runChecks(project, bucketChecks).next();
  return value as Finding;
}

test("the doctor accepts evidence in a private bucket or in the database", async () => {
  expect(await found("evidence")).toMatchObject({
    verdict: "ok",
    found: expect.stringMatching(/private bucket evidence/),
  });
  expect(await found("")).toMatchObject({
    verdict: "ok",
    found: expect.stringMatching(/in the database/),
  });
});

test.each<[string, number, object, RegExp]>([
  ["that is missing", 400, MISSING, /no bucket evidence/],
  ["that everybody can read", 200, { ...PRIVATE, public: true }, /anyone can read/],
  ["for smaller files", 200, { ...PRIVATE, file_size_limit: 1024 }, /at most 1024 bytes/],
  [
    "for images only",
    200,
    { ...PRIVATE, allowed_mime_types: ["image/png"] },
    /refuses the type application.octet-stream/,
  ],
  ["that does not answer", 503, {}, /answers 503/],
])("the doctor reports a bucket %s", async (_what, status, body, says) => {
  expect(await found("evidence", status, body)).toMatchObject({
    verdict: "problem",
    found: expect.stringMatching(says),
    advice: expect.any(String),
  });
});
