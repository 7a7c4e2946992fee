import { isDeepStrictEqual } from "node:util";
import { enumNameOf, keyOf } from "./enum-names.ts";

type Node = { [keyword: string]: unknown };
type Operation = {
  operationId: string;
  parameters?: { in?: string; schema?: Node; style?: string; explode?: boolean }[];
  requestBody?: Body;
  responses?: Record<string, Body>;
};
type Body = { content?: Record<string, { schema?: Node }> };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Node>; responses?: Record<string, Body> };
};

const BODIES = new Set([
  "application/json",
  "application/merge-patch+json",
  "application/problem+json",
]);
const VALUES = new Set(["example", "examples", "default", "const", "enum"]);

/**
 * Moves the inline bodies, responses and shared enums of a document to its components, so that a
 * generated client has one type with a name for each. @throws Error if an enum that occurs more
 * than once has no name
 */
export function nameSchemas({ paths, webhooks, components }: Document): void {
  const { schemas } = components;
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const { operationId, requestBody, responses = {} } = operation;
    nameBody(requestBody, (schema) => requestName(operationId, schema), schemas);
    for (const [status, response] of Object.entries(responses))
      nameBody(response, (schema) => responseName(operationId, status, schema, schemas), schemas);
  }
  for (const [kind, { post }] of Object.entries(webhooks))
    nameBody(post.requestBody, () => `${pascalCase(kind)}Event`, schemas);
  for (const [name, response] of Object.entries(components.responses ?? {}))
    nameBody(response, () => `${name}Problem`, schemas);
  nameEnums({ paths, webhooks, schemas }, schemas);
}

function nameBody(
  body: Body | undefined,
  nameOf: (schema: Node) => string,
  schemas: Record<string, Node>,
): void {
  for (const [mediaType, media] of Object.entries(body?.content ?? {})) {
    const { schema } = media;
    if (!schema || "$ref" in schema || !BODIES.has(mediaType) || schema.type === "string") continue;
    const name = nameOf(schema);
    if (name in schemas && !isDeepStrictEqual(schemas[name], schema))
      throw new Error(`Two schemas are called ${name}.`);
    schemas[name] = schema;
    media.schema = { $ref: refTo(name) };
  }
}

/** Bodies with nothing but an idempotency key share one name. */
function requestName(operationId: string, { properties = {} }: Node): string {
  const [field, ...others] = Object.keys(properties as Node);
  if (others.length > 0) return `${pascalCase(operationId)}Request`;
  switch (field) {
    case "idempotency_key":
      return "IdempotentRequest";
    case "idempotencyKey":
      return "IdempotentRecordRequest";
    default:
      return `${pascalCase(operationId)}Request`;
  }
}

/** Names a page after its items, unless another page of the same items has other fields. */
function responseName(
  operationId: string,
  status: string,
  schema: Node,
  schemas: Record<string, Node>,
): string {
  const { items, next_cursor } = (schema.properties ?? {}) as Record<string, Node>;
  const item = (items?.items as Node | undefined)?.$ref;
  if (next_cursor && typeof item === "string") {
    const name = `${item.replace(refTo(""), "")}Page`;
    if (!(name in schemas) || isDeepStrictEqual(schemas[name], schema)) return name;
  }
  return `${pascalCase(operationId)}${status === "200" ? "" : status}Result`;
}

function nameEnums(root: Node, schemas: Record<string, Node>): void {
  const places = new Map<string, { at: string; schema: Node }[]>();
  walk(root, "", (schema, at) => {
    const values = enumOf(schema);
    if (values) places.set(keyOf(values), [...(places.get(keyOf(values)) ?? []), { at, schema }]);
  });
  for (const [key, shared] of places) {
    const name = enumNameOf(key);
    if (name === undefined && shared.length > 1)
      throw new Error(
        `Name the enum of ${key} in enum-names.ts: ${shared.map(({ at }) => at).join(", ")}`,
      );
    const [first] = shared;
    if (name === undefined || !first) continue;
    schemas[name] = { type: "string", enum: first.schema.enum };
    for (const { schema } of shared) {
      delete schema.type;
      delete schema.enum;
      Object.assign(schema, { $ref: refTo(name) });
    }
  }
}

function enumOf(schema: Node): string[] | undefined {
  const { enum: values } = schema;
  return Array.isArray(values) &&
    values.length > 1 &&
    values.every((value) => typeof value === "string")
    ? values
    : undefined;
}

function walk(node: unknown, at: string, visit: (schema: Node, at: string) => void): void {
  if (Array.isArray(node)) {
    for (const [index, one] of node.entries()) walk(one, `${at}/${index}`, visit);
  } else if (typeof node === "object" && node !== null) {
    visit(node as Node, at);
    for (const [keyword, child] of Object.entries(node))
      if (!VALUES.has(keyword)) walk(child, `${at}/${keyword}`, visit);
  }
}

function refTo(name: string): string {
  return `#/components/schemas/${name}`;
}

function pascalCase(text: string): string {
  return text.replace(/(?:^|[._-])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
