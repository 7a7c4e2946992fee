import { expect, test } from "vitest";
import type { Document } from "./api-document.ts";
import { withOpenEnums } from "./open-enums.ts";

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const document = {
  paths: {
    "/v1/runs": {
      post: {
        requestBody: { content: { "application/json": { schema: ref("CreateRunRequest") } } },
        responses: { 200: { content: { "application/json": { schema: ref("Run") } } } },
      },
    },
  },
  webhooks: {},
  components: {
    parameters: {},
    schemas: {
      CreateRunRequest: { properties: { kind: ref("RunKind"), rule: ref("Rule") } },
      Rule: { properties: { then: { enum: ["match", "suggest"] } } },
      Run: { properties: { kind: ref("RunKind"), rule: ref("Rule") } },
    },
  },
} as unknown as Document;

test("enums are open in responses, closed in requests, and accept returned values in types of both", () => {
  const types = `export type CreateRunRequest = {
    kind: RunKind;
    rule?: Rule;
};

export type Rule = {
    then: "match" | "suggest";
};

export type Run = {
    /**
     * "queued" | "running", or a RunKind
     */
    status: "queued" | "done" | null;
    type: "run";
    stages: ("read" | "write")[];
    kind: RunKind;
    kinds?: RunKind[];
    RunKind: string;
    rule: Rule;
};

export type RunKind = "full" | "short";
`;
  expect(withOpenEnums(types, document)).toBe(
    types
      .replace('"match" | "suggest"', 'OrLater<"match" | "suggest">')
      .replace('"queued" | "done" | null', 'Open<"queued" | "done"> | null')
      .replace('("read" | "write")[]', '(Open<"read" | "write">)[]')
      .replace(/(Run = \{[\s\S]*kind: )RunKind/, "$1Open<RunKind>")
      .replace("kinds?: RunKind[]", "kinds?: Open<RunKind>[]"),
  );
});
