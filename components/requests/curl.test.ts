import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import type { LoggedRequestDetail } from "#lib/request-log/contract.ts";
import { curlOf } from "./curl.ts";

const call = {
  method: "POST",
  path: "/v1/exceptions",
  query: "a=b%20c&d='$(id)'",
  request: {
    headers: {
      authorization: "Bearer tk_1.[redacted]",
      "x-tenant-id": "acme",
      host: "x",
      apikey: "[redacted]",
      "x-note": "it's $HOME",
    },
    body: `{"title":"it's \`id\` \\"quoted\\""}`,
  },
} as unknown as LoggedRequestDetail;

test("a call is one safe command with the credential as a variable", () => {
  const command = curlOf(call, "https://tieout.example").replace(/^curl/, "printf '%s\\n'");
  const words = execFileSync("sh", ["-c", command], {
    encoding: "utf8",
    env: { ...process.env, TIEOUT_TOKEN: "secret" },
  });
  expect(words.trimEnd().split("\n")).toEqual([
    "-X",
    "POST",
    "https://tieout.example/v1/exceptions?a=b%20c&d='$(id)'",
    "-H",
    "Authorization: Bearer secret",
    "-H",
    "x-tenant-id: acme",
    "-H",
    "x-note: it's $HOME",
    "-d",
    `{"title":"it's \`id\` \\"quoted\\""}`,
  ]);
});
