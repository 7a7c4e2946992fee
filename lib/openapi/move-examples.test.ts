import { expect, test } from "vitest";
import { openApiDocument } from "./document.ts";
import { moveExamples } from "./move-examples.ts";

const NOW = Date.parse("2031-03-01T12:00:00.000Z");
type Shown = { [field: string]: unknown };

const document = JSON.parse(JSON.stringify(openApiDocument()));
const moved = moveExamples(document, NOW);

test("a copied deadline is in the future, and a copied start is recent", () => {
  const { post, get } = moved.paths["/v1/exceptions"];
  const request: Shown = post.requestBody.content["application/json"].example;
  expect(request.due_at).toBe("2031-03-01T12:30:00.000Z");
  const changes = moved.paths["/v1/exceptions/sla/changes"].get;
  const since = changes.parameters.find(({ name }: { name: string }) => name === "since");
  const age = NOW - Date.parse(since.schema.example);
  expect(age).toBeGreaterThanOrEqual(0);
  expect(age).toBeLessThan(24 * 3_600_000);
  expect(get.responses["200"].content["application/json"].example.next_cursor).toBeNull();
});

test("every time in a request's example that has to be in the future stays there", () => {
  const ahead = ["due_at", "expires_at", "until"];
  const bodies = Object.values<Record<string, { requestBody?: { content: Shown } }>>(moved.paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ requestBody }) => requestBody?.content["application/json"] as Shown | undefined)
    .map((media) => media?.example as Shown | undefined);
  const times = bodies.flatMap((body) =>
    ahead.flatMap((field) => (typeof body?.[field] === "string" ? [body[field]] : [])),
  );
  expect(times.length).toBeGreaterThan(1);
  expect(times.filter((time) => Date.parse(time) <= NOW)).toEqual([]);
});

test("nothing but examples is moved", () => {
  const without = (node: unknown): unknown =>
    JSON.parse(
      JSON.stringify(node, (name, value) => (/^examples?$/.test(name) ? undefined : value)),
    );
  expect(without(moved)).toEqual(without(document));
});
