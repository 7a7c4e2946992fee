import { expect, test } from "vitest";
import { breachRisk } from "#components/exceptions/deadline.ts";
import { openApiDocument } from "./document.ts";
import { CONTRACTS } from "./operations.ts";

type Json = { [field: string]: unknown };

const document = JSON.parse(JSON.stringify(openApiDocument()));
const NOW = "2026-11-20T09:30:00.000Z";

/** The request and response example of each operation, or only the response. */
const examples = CONTRACTS.filter(
  ({ path, method, status }) =>
    "application/json" in document.paths[path][method.toLowerCase()].responses[status].content,
).map(({ operationId, path, method, status, query }) => {
  const { requestBody, responses } = document.paths[path][method.toLowerCase()];
  const request: Json | undefined = requestBody?.content["application/json"]?.example;
  const answer: Json = responses[status].content["application/json"].example;
  return { operationId, request, answer, isList: "cursor" in query.shape };
});

/** Every object within an example, including nested ones. */
function objectsIn(value: unknown): Json[] {
  if (typeof value !== "object" || value === null) return [];
  const parts = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? parts : [value as Json, ...parts];
}

test.each(examples)(
  "the response of $operationId shows what its request asks for",
  ({ request = {}, answer }) => {
    const echoed = Object.entries(request).filter(
      ([field]) => field in answer && field !== "secret",
    );
    expect(
      echoed.filter(([field, value]) => JSON.stringify(answer[field]) !== JSON.stringify(value)),
    ).toEqual([]);
  },
);

test.each(examples)("the example of $operationId is internally consistent", ({ answer }) => {
  for (const json of objectsIn(answer)) {
    const at = (field: string) => Date.parse(String(json[field] ?? NaN));
    const later = Object.keys(json).filter(
      (field) => field.endsWith("_at") && field !== "created_at" && at(field) < at("created_at"),
    );
    expect(later, "before it was created").toEqual([]);
    const past = [
      "created_at",
      "updated_at",
      "last_used_at",
      "revoked_at",
      "closed_at",
      "deleted_at",
      "last_success_at",
      "last_failure_at",
    ];
    expect(
      past.filter((field) => at(field) > Date.parse(NOW)),
      "still to come",
    ).toEqual([]);
    if ("minutes_to_breach" in json) {
      const isOpen = json.status === "open" || json.status === "in_review";
      const minutes = Math.ceil((at("due_at") - Date.parse(NOW)) / 60_000);
      expect([json.minutes_to_breach, json.breach_risk]).toEqual(
        isOpen ? [minutes, breachRisk(minutes)] : [null, null],
      );
      expect([json.closed_at === null, json.resolution === null]).toEqual([isOpen, isOpen]);
    }
    if ("changed_at" in json) expect((json.exception as Json).updated_at).toBe(json.changed_at);
    if ("soft_delete" in json)
      expect([json.deleted_at !== null, json.purge_at !== null]).toEqual([
        json.soft_delete,
        json.soft_delete,
      ]);
    if ("revoked_at" in json)
      expect([json.revoked_at !== null, json.revoked_by !== null]).toEqual(
        Array(2).fill(json.status === "revoked"),
      );
    if ("rotated_to" in json) expect(json.rotated_to === null).toBe(json.grace_expires_at === null);
    if ("total_open" in json)
      expect(
        Number(json.breached_count) + Number(json.at_risk_count) + Number(json.on_track_count),
      ).toBe(json.total_open);
    if ("last_24h" in json)
      expect(json.health === "idle").toBe((json.last_24h as Json).attempts === 0);
    if ("last_attempt" in json) expect(json.attempt_count === 0).toBe(json.last_attempt === null);
    if (Array.isArray(json.by_operation))
      for (const split of [json.by_operation, json.by_address] as Json[][])
        expect(split.reduce((sum, { refused }) => sum + Number(refused), 0)).toBe(json.refused);
  }
});

test.each(examples.filter(({ isList }) => isList))(
  "the page of $operationId holds everything its totals count",
  ({ answer }) => {
    expect(answer.next_cursor).toBeNull();
    if ("summary" in answer)
      expect((answer.summary as Json).total_open).toBe((answer.items as unknown[]).length);
  },
);

test("examples show a secret only where the server generates it", () => {
  for (const { request = {}, answer } of examples.filter(({ operationId }) =>
    /Webhook(?:Secret)?$/.test(operationId),
  ))
    if ("secret" in request) expect(answer).not.toHaveProperty("secret");
});

test("an error's example fits every operation that shares it", () => {
  const answers = Object.values(
    document.components.responses as Record<
      string,
      { content?: Record<string, { examples: Json }> }
    >,
  );
  const shown = answers.flatMap(({ content }) =>
    Object.values(content?.["application/problem+json"]?.examples ?? {}),
  ) as { value: Json }[];
  const paths = shown
    .flatMap(({ value }) => (value.errors as { path: string }[] | undefined) ?? [])
    .map(({ path }) => path);
  expect(new Set(paths)).toEqual(new Set(["no_such_parameter"]));
});
