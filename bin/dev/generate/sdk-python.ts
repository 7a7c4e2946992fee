import { CURRENCIES, decimalsOf } from "#lib/wire/currencies.ts";
import {
  methodName,
  PYTHON_KEYWORDS,
  pythonArgument,
  pythonName,
  resourceOf,
} from "#lib/wire/sdk-names.ts";
import {
  type Document,
  type Operation,
  type Parameter,
  readDocument,
  type Schema,
} from "./api-document.ts";
import { type Openness, opennessIn } from "./open-enums.ts";
import { nameOf } from "./sdk.ts";

const HEADER = "# Written by `npm run generate` from openapi.json.\n";

const SCALARS: Record<string, string> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
  object: "dict[str, Any]",
  array: "list[Any]",
};

/** The schemas as TypedDicts, the union of events, and the currencies. */
export async function pythonTypes(): Promise<string> {
  const document = await readDocument();
  const { components, webhooks } = document;
  const opennessOf = opennessIn(document);
  const enums = Object.entries(components.schemas).filter(([, { enum: values }]) => values);
  const printer = new TypePrinter(enums.map(([name]) => name));
  for (const [name, schema] of Object.entries(components.schemas))
    printer.declare(name, schema, opennessOf(name));
  const events = Object.values(webhooks).map(({ post }) =>
    nameOf(post.requestBody.content["application/json"]?.schema),
  );
  const decimals = CURRENCIES.filter((code) => decimalsOf(code) !== 2);
  return `${HEADER}# ruff: noqa
from __future__ import annotations

from typing import Any, Literal, NewType, NotRequired, TypedDict, Union

LaterValue = NewType("LaterValue", str)
"""A value of a later version of the API. It can be sent back; a misspelt value can't be sent."""

${printer.text}
TieoutEvent = Union[
${events.map((event) => `    ${event},\n`).join("")}]

DECIMALS = {
${decimals.map((code) => `    "${code}": ${decimalsOf(code)},\n`).join("")}}
`;
}

/** Writes types, and names objects within objects. */
class TypePrinter {
  text = "";
  readonly #enums: readonly string[];
  #openness: Openness = "closed";

  constructor(enums: readonly string[] = []) {
    this.#enums = enums;
  }

  declare(name: string, schema: Schema, openness: Openness): void {
    const { properties } = merged(schema);
    this.#openness = this.#enums.includes(name) ? "closed" : openness;
    if (properties) {
      this.#declareObject(name, merged(schema));
      return;
    }
    // It declares the types within first.
    const type = this.typeOf(schema, name);
    this.text += `${name} = ${type}\n\n`;
  }

  typeOf(schema: Schema, name: string): string {
    const { $ref, enum: values, anyOf, oneOf, type, items, additionalProperties } = schema;
    if ($ref) {
      const referred = nameOf({ $ref });
      return this.#enums.includes(referred) ? this.#opened(`"${referred}"`) : `"${referred}"`;
    }
    if (values) {
      const closed = `Literal[${values.map(literal).join(", ")}]`;
      const isText = values.filter((value) => typeof value === "string").length > 1;
      return isText ? this.#opened(closed) : closed;
    }
    if ("const" in schema) return `Literal[${literal(schema.const)}]`;
    const choices = anyOf ?? oneOf;
    if (choices)
      return union(choices.map((choice, at) => this.typeOf(choice, `${name}${at || ""}`)));
    const mergedSchema = merged(schema);
    if (mergedSchema.properties) {
      this.#declareObject(name, mergedSchema);
      return `"${name}"`;
    }
    if (Array.isArray(type)) return union(type.map((value) => SCALARS[value] ?? "Any"));
    if (type === "array" && items) return `list[${this.typeOf(items, `${name}Item`)}]`;
    if (type === "object" && typeof additionalProperties === "object")
      return `dict[str, ${this.typeOf(additionalProperties, `${name}Value`)}]`;
    return SCALARS[type ?? ""] ?? "Any";
  }

  #opened(type: string): string {
    if (this.#openness === "closed") return type;
    return union([type, this.#openness === "open" ? "str" : "LaterValue"]);
  }

  #declareObject(name: string, { properties = {}, required = [] }: Schema): void {
    const fields = Object.entries(properties).map(([field, schema]) => {
      const type = this.typeOf(schema, `${name}${pascal(field)}`);
      return [field, required.includes(field) ? type : `NotRequired[${type}]`];
    });
    const isPlain = fields.every(
      ([field = ""]) => /^[a-z_]\w*$/i.test(field) && !PYTHON_KEYWORDS.has(field),
    );
    this.text += isPlain
      ? `class ${name}(TypedDict):\n${fields.map(([field, type]) => `    ${field}: ${type}\n`).join("") || "    pass\n"}\n\n`
      : `${name} = TypedDict("${name}", {\n${fields.map(([field, type]) => `    "${field}": ${type},\n`).join("")}})\n\n`;
  }
}

/** `allOf` as one object. */
function merged(schema: Schema): Schema {
  if (!schema.allOf) return schema;
  const parts = schema.allOf.filter(({ $ref }) => !$ref);
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  };
}

function literal(value: unknown): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  return value === null ? "None" : JSON.stringify(value);
}

function union(types: string[]): string {
  const all = [...new Set(types)];
  return all.length === 1 ? (all[0] ?? "Any") : `Union[${all.join(", ")}]`;
}

type Method = {
  name: string;
  signature: string;
  call: string;
  result: string;
  kind: Kind;
  doc: string;
};
type Kind = "call" | "list" | "export";

/** The resources with their methods, once for each kind of client. */
export async function pythonResources(): Promise<string> {
  const document = await readDocument();
  const resources = new Map<string, Method[]>();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [verb, operation] of Object.entries(methods)) {
      if (!operation.operationId) continue;
      const resource = resourceOf(path);
      const method = methodOf(document, resource, path, verb, operation);
      resources.set(resource, [...(resources.get(resource) ?? []), method]);
    }
  const sorted = [...resources].sort(([a], [b]) => (a < b ? -1 : 1));
  const classes = sorted.flatMap(([resource, methods]) => [
    classOf(pascal(resource), "SyncResource", methods, syncMethod),
    classOf(`Async${pascal(resource)}`, "AsyncResource", methods, asyncMethod),
  ]);
  const attributes = (prefix: string) =>
    sorted
      .map(([resource]) => `    ${pythonName(resource)}: ${prefix}${pascal(resource)}\n`)
      .join("");
  const constructors = (prefix: string) =>
    sorted
      .map(
        ([resource]) =>
          `        self.${pythonName(resource)} = ${prefix}${pascal(resource)}(transport)\n`,
      )
      .join("");
  return `${HEADER}# ruff: noqa
# Data is parsed JSON: its types are declared, not checked.
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any, Literal, Optional, Sequence, Union, Unpack

from . import _types as T
from ._calls import (
    AsyncExport,
    AsyncPages,
    AsyncResource,
    AsyncTransport,
    Export,
    FileContent,
    Options,
    Pages,
    SyncResource,
    SyncTransport,
    segment,
)


${classes.join("\n\n")}

class Resources:
${attributes("")}
    def __init__(self, transport: SyncTransport) -> None:
${constructors("")}

class AsyncResources:
${attributes("Async")}
    def __init__(self, transport: AsyncTransport) -> None:
${constructors("Async")}`;
}

function classOf(
  name: string,
  base: string,
  methods: Method[],
  print: (method: Method) => string,
): string {
  return `class ${name}(${base}):\n${methods.map(print).join("\n")}`;
}

function syncMethod({ name, signature, call, result, kind, doc }: Method): string {
  const type = { call: result, list: `Pages[${result}]`, export: "Export" }[kind];
  return `    def ${name}(self${signature}) -> ${type}:\n${doc}        return self._${kind}(${call})\n`;
}

function asyncMethod({ name, signature, call, result, kind, doc }: Method): string {
  const type = { call: result, list: `AsyncPages[${result}]`, export: "AsyncExport" }[kind];
  const [prefix, wait] = kind === "call" ? ["async ", "await "] : ["", ""];
  return `    ${prefix}def ${name}(self${signature}) -> ${type}:\n${doc}        return ${wait}self._${kind}(${call})\n`;
}

function methodOf(
  { components }: Document,
  resource: string,
  path: string,
  verb: string,
  { operationId, summary, description = "", parameters = [], requestBody, responses }: Operation,
): Method {
  const all = parameters.map((parameter) =>
    parameter.$ref ? (components.parameters[nameOf(parameter)] as Parameter) : parameter,
  );
  const query = all.filter((parameter) => parameter.in === "query");
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, id = ""]) => id);
  const bodyType = requestBody && nameOf(requestBody.content["application/json"]?.schema);
  const isFile = requestBody !== undefined && !bodyType;
  const contents = Object.entries(responses)
    .filter(([status]) => status < "300")
    .map(([, { content }]) => content ?? {});
  const isExport = contents.some(
    (content) => !content["application/json"] && Object.keys(content).length > 0,
  );
  const isList = query.some(({ name }) => name === "cursor");
  const types = [
    ...new Set(
      contents.map((content) => {
        const type = nameOf(content["application/json"]?.schema);
        return type ? `T.${type}` : "None";
      }),
    ),
  ];
  const [page = ""] = types;
  const items = components.schemas[page.slice(2)]?.properties?.items?.items;
  const item = items?.$ref ? `T.${nameOf(items)}` : `T.${page.slice(2)}ItemsItem`;
  const shown = query.filter(({ name }) => name !== "cursor" && name !== "end_mark");
  const printer = new TypePrinter();
  const keyword = ({ name, schema, required }: Parameter) => {
    const type = argumentType(printer.typeOf(schema, pascal(name)));
    const isOptional = !required || name === "format";
    return `${pythonArgument(name)}: ${isOptional ? `Optional[${type}] = None` : type}`;
  };
  const isInteger = (id: string) =>
    all.some(({ name, schema }) => name === id && schema.type === "integer");
  const signature = [
    ...ids.map((id) => `${pythonName(id)}: ${isInteger(id) ? "int" : "str"}`),
    ...(isFile ? ["file: FileContent"] : []),
    ...(bodyType
      ? [`body: ${requestBody?.required ? `T.${bodyType}` : `Optional[T.${bodyType}] = None`}`]
      : []),
    ...(shown.length > 0 || isList ? ["*"] : []),
    ...shown.filter(({ required, name }) => required && name !== "format").map(keyword),
    ...shown.filter(({ required, name }) => !required || name === "format").map(keyword),
    ...(isList ? ["cursor: Optional[str] = None"] : []),
    "**options: Unpack[Options]",
  ];
  const url = `f"${path.replace(/\{(\w+)\}/g, (_, id: string) => `{segment('${pythonName(id)}', ${pythonName(id)})}`)}"`;
  const names = [...shown.map(({ name }) => name), ...(isList ? ["cursor"] : [])];
  const takesKey = all.some(({ name }) => name === "Idempotency-Key");
  const call = [
    `"${verb.toUpperCase()}"`,
    url,
    "options",
    ...(names.length > 0
      ? [`query={${names.map((name) => `"${name}": ${pythonArgument(name)}`).join(", ")}}`]
      : []),
    ...(bodyType ? ["body=body"] : []),
    ...(isFile ? ["file=file"] : []),
    ...(takesKey ? ["takes_key=True"] : []),
    ...(isExport && query.some(({ name }) => name === "end_mark") ? ["has_end_mark=True"] : []),
  ];
  const [text = ""] = description.split("\n\nCallers: ");
  const words = [`${summary}.`, ...(text ? ["", ...text.split("\n")] : [])];
  const doc = `        """${words.join("\n").replaceAll("\\", "\\\\").replaceAll('"""', "'''").replaceAll("\n", "\n        ").replaceAll(/ +$/gm, "")}${words.length > 1 ? "\n        " : ""}"""\n`;
  return {
    name: pythonName(methodName(resource, operationId)),
    signature: signature.map((value) => `, ${value}`).join(""),
    call: call.join(", "),
    result: isList ? item : union(types),
    kind: isExport ? "export" : isList ? "list" : "call",
    doc,
  };
}

/** Within the resources' module, whose classes have methods named `list`. */
function argumentType(type: string): string {
  return type
    .replaceAll(/"(\w+)"(?=[\],]|$)/g, (mergedSchema, name: string) =>
      /^[A-Z][a-z]/.test(name) && !/Literal/.test(type) ? `T.${name}` : mergedSchema,
    )
    .replace(/^list\[(.*)\]$/, "Sequence[$1]");
}

function pascal(text: string): string {
  return text.replaceAll(/(?:^|[_-])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
