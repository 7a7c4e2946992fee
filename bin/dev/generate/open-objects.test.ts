import { expect, test } from "vitest";
import type { Document } from "./api-document.ts";
import { withOpenObjects } from "./open-objects.ts";

const properties = { name: { type: "string" } };
const schemas = {
  Bag: { type: "object", additionalProperties: {} },
  Closed: { type: "object", properties, additionalProperties: false },
  Note: { type: "object", properties, additionalProperties: {} },
  Plain: { type: "object", properties },
};
const document = { components: { schemas } } as unknown as Document;
const type = (name: string, more = "") =>
  `export type ${name} = {\n    name?: {\n        first: string;\n    };\n${more}};\n`;

test("only types that allow additional properties get an index signature", () => {
  const types = ["Closed", "Note", "Plain"].map((name) => type(name)).join("\n");
  expect(withOpenObjects(types, document)).toBe(
    [type("Closed"), type("Note", "    [name: string]: unknown;\n"), type("Plain")].join("\n"),
  );
});

test("a type in an unexpected form is refused", () => {
  expect(() => withOpenObjects("export type Note = string;\n", document)).toThrow("Note");
});
