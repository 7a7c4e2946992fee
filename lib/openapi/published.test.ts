import { describe, expect, test } from "vitest";
import { publishedDocument } from "./published.ts";

type Node = { [keyword: string]: unknown };
type Parameter = {
  name: string;
  in: string;
  description?: string;
  explode?: boolean;
  schema: Node;
};

const document = JSON.parse(JSON.stringify(publishedDocument()));
const { schemas, parameters: shared } = document.components;
const operations: { operationId: string; parameters?: (Parameter | { $ref: string })[] }[] =
  Object.values<Node>(document.paths).flatMap((methods) => Object.values(methods) as never[]);
const parameters = [
  ...operations.flatMap(({ parameters: own = [] }) => own),
  ...Object.values<Parameter>(shared),
].filter((one): one is Parameter => "name" in one);

/** Every schema below a node, with its place. */
function schemasIn(node: unknown, at = ""): { schema: Node; at: string }[] {
  if (typeof node !== "object" || node === null) return [];
  const below = Object.entries(node).flatMap(([name, child]) => schemasIn(child, `${at}/${name}`));
  return Array.isArray(node) ? below : [{ schema: node as Node, at }, ...below];
}

describe("the published document", () => {
  test("sends the tenant as part of the credentials, not as a parameter", () => {
    expect(document.security).toEqual([{ bearer: [], tenant: [] }]);
    expect(document.components.securitySchemes.tenant).toMatchObject({
      type: "apiKey",
      in: "header",
      name: "X-Tenant-Id",
    });
    expect(parameters.filter(({ name }) => name === "X-Tenant-Id")).toEqual([]);
  });

  test("has one schema for each resource, with a name that no language uses for a type", () => {
    const names = Object.keys(schemas);
    expect(names.filter((name) => /(?:Output|__schema\d+)$/.test(name))).toEqual([]);
    const taken = ["Comment", "Error", "Event", "Exception", "List", "Object", "Session", "Type"];
    expect(names.filter((name) => taken.includes(name))).toEqual([]);
    expect(names).toEqual(
      expect.arrayContaining(["SlaException", "Run", "Reconciliation", "ExceptionComment"]),
    );
  });

  test("names every JSON body, and every enum that occurs twice", () => {
    const bodies = schemasIn({ paths: document.paths, webhooks: document.webhooks }).filter(
      ({ at }) => /\/application~?\/?.*json\/schema$/.test(at) && !at.includes("ndjson"),
    );
    expect(bodies.length).toBeGreaterThan(200);
    expect(bodies.filter(({ schema }) => !("$ref" in schema || schema.type === "string"))).toEqual(
      [],
    );
    const enums = schemasIn(document)
      .map(({ schema }) => schema.enum)
      .filter((values) => Array.isArray(values) && values.length > 1)
      .map((values) => (values as string[]).toSorted().join());
    expect(enums.filter((enum_, index) => enums.indexOf(enum_) !== index)).toEqual([]);
  });

  test("describes every parameter and every property", () => {
    expect(parameters.filter(({ description }) => !description)).toEqual([]);
    const isDescribed = (field: Node): boolean =>
      "description" in field ||
      "$ref" in field ||
      "not" in field ||
      [field.items, field.anyOf].flat().some((part) => part && isDescribed(part as Node));
    const bare = schemasIn(document).flatMap(({ schema, at }) =>
      at.endsWith("/properties")
        ? Object.entries(schema).flatMap(([name, field]) =>
            isDescribed(field as Node) ? [] : [`${at}/${name}`],
          )
        : [],
    );
    expect(bare.filter((place) => !/Problem\/allOf\/1\//.test(place))).toEqual([]);
  });

  test("declares lists in a query as comma-separated arrays, and booleans as booleans", () => {
    const lists = parameters.filter(
      (parameter) => parameter.in === "query" && parameter.schema.type === "array",
    );
    expect(new Set(lists.map(({ name }) => name))).toContain("severity");
    expect(lists.filter(({ explode }) => explode !== false)).toEqual([]);
    const texts = parameters.filter(({ schema }) => String(schema.enum) === "true,false");
    expect(texts).toEqual([]);
  });

  test("accepts unknown fields in responses and events, not in requests", () => {
    const closed = schemasIn(schemas).filter(({ schema }) => schema.additionalProperties === false);
    const names = new Set(closed.map(({ at }) => at.split("/")[1] ?? ""));
    expect(names).toContain("CreateExceptionRequest");
    expect([...names].filter((name) => !/^NewLine$|(?:Request|Input|Change)$/.test(name))).toEqual(
      [],
    );
  });

  test("marks operations that only our own pages call", () => {
    const marked = operations.filter((operation) => "x-audience" in operation);
    const names = marked.map(({ operationId }) => operationId);
    expect(names).toContain("getOverview");
    expect(names).not.toContain("listExceptions");
  });

  test("is sorted, without examples, at an absolute address", () => {
    expect(Object.keys(schemas)).toEqual(Object.keys(schemas).toSorted());
    expect(Object.keys(document.paths)).toEqual(Object.keys(document.paths).toSorted());
    expect(schemasIn(document).filter(({ at }) => at.endsWith("/examples"))).toEqual([]);
    const [server] = document.servers;
    expect(new URL(server.url).origin).toBe(server.url);
  });
});
