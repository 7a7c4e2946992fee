import { expect, test } from "vitest";
import { shareSchemas } from "./share-schemas.ts";

const time = { type: "string", format: "date-time", description: "When it was created." };
const PATTERNS = { CreationTime: /^created_at$/ };
const answers = { "2XX": { description: "Taken." }, 410: { description: "Stop." } };

function documentOf(created: object[]) {
  const schemas = created.map((created_at, index) => [
    `Resource${index}`,
    { properties: { created_at } },
  ]);
  return {
    webhooks: { opened: { post: { responses: { ...answers } as Record<string, unknown> } } },
    components: { schemas: Object.fromEntries(schemas) },
  };
}

test("repeated schemas become one component, and another schema of the same property stays", () => {
  const document = documentOf([{ ...time }, { ...time }, { ...time, description: "Its birth." }]);
  shareSchemas(document, PATTERNS);
  const { schemas } = document.components;
  expect(schemas.CreationTime).toEqual(time);
  const shared = { $ref: "#/components/schemas/CreationTime" };
  expect(schemas.Resource0.properties.created_at).toEqual(shared);
  expect(schemas.Resource1.properties.created_at).toEqual(shared);
  expect(schemas.Resource2.properties.created_at).toMatchObject({ description: "Its birth." });
  expect(document.webhooks.opened.post.responses).toEqual({
    "2XX": { $ref: "#/components/responses/EventDelivered" },
    410: { $ref: "#/components/responses/EventsUnwanted" },
  });
});

test("a name in the table without a repeated schema is refused", () => {
  const document = documentOf([{ ...time }, { ...time, description: "Its birth." }]);
  expect(() => shareSchemas(document, PATTERNS)).toThrow("CreationTime");
});
