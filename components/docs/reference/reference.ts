/**
 * The reference as data: the OpenAPI document, operation by operation, with the contract behind
 * each.
 */
import type { Contract } from "#lib/wire/contract.ts";
import { slugOf } from "../slug.ts";
import {
  type Document,
  type DocumentOperation,
  type DocumentResponse,
  type Header,
  type Parameter,
  type Problem,
  partOf,
} from "./document.ts";
import { type Definitions, resolve, type Schema } from "./schema.ts";

export const REFERENCE_PATH = "/docs/reference";
export const EVENTS_PATH = "/docs/events";

export type Operation = {
  slug: string;
  href: string;
  resource: string;
  contract: Contract;
  parameters: Parameter[];
  body: Body | null;
  response: {
    status: number;
    schema: Schema;
    example: unknown;
    headers: NamedHeader[];
    file: string | undefined;
  };
  problems: Problem[];
};

export type Body = { required: boolean; mediaTypes: string[]; schema: Schema; example: unknown };
export type NamedHeader = Header & { name: string };
export type Resource = {
  slug: string;
  href: string;
  title: string;
  description: string;
  operations: Operation[];
};
export type Event = {
  kind: string;
  href: string;
  summary: string;
  headers: Parameter[];
  schema: Schema;
  example: unknown;
};
export type Reference = { resources: Resource[]; events: Event[]; definitions: Definitions };

/** Describes each contract with its part of the OpenAPI document that was made from them. */
export function referenceOf(openApi: object, contracts: readonly Contract[]): Reference {
  const document = openApi as Document;
  return {
    resources: document.tags.map(({ name, description }) => {
      const slug = slugOf(name);
      const operations = contracts
        .filter(({ tag }) => tag === name)
        .map((contract) => operationOf(contract, slug, document));
      return { slug, href: `${REFERENCE_PATH}/${slug}`, title: name, description, operations };
    }),
    events: Object.entries(document.webhooks).map(([kind, { post }]) =>
      eventOf(kind, post, document),
    ),
    definitions: document.components.schemas,
  };
}

function operationOf(contract: Contract, resource: string, document: Document): Operation {
  const described = document.paths[contract.path]?.[
    contract.method.toLowerCase()
  ] as DocumentOperation;
  const slug = slugOf(contract.operationId);
  const responses = Object.values(described.responses).map((response) =>
    partOf(response, document),
  );
  return {
    slug,
    href: `${REFERENCE_PATH}/${resource}/${slug}`,
    resource,
    contract,
    parameters: (described.parameters ?? []).map((parameter) => partOf(parameter, document)),
    body: bodyOf(described, document),
    response: responseOf(
      contract.status,
      partOf(described.responses[contract.status] as DocumentResponse, document),
      document,
    ),
    problems: responses.flatMap(problemsOf),
  };
}

function bodyOf({ requestBody }: DocumentOperation, document: Document): Body | null {
  const [media] = Object.values(requestBody?.content ?? {});
  if (!requestBody || !media) return null;
  return {
    required: requestBody.required,
    mediaTypes: Object.keys(requestBody.content),
    schema: resolve(media.schema, document.components.schemas),
    example: media.example,
  };
}

function responseOf(
  status: number,
  { headers, content }: DocumentResponse,
  document: Document,
): Operation["response"] {
  const file = content?.["text/csv"]?.example;
  const [type] = Object.keys(content ?? {});
  const download = type === "application/json" ? undefined : type;
  return {
    status,
    schema: content?.["application/json"]?.schema ?? {},
    example: content?.["application/json"]?.example,
    headers: Object.entries(headers ?? {}).map(([name, header]) => ({
      name,
      ...partOf(header, document),
    })),
    file: typeof file === "string" ? file : download,
  };
}

function problemsOf({ content }: DocumentResponse): Problem[] {
  return Object.values(content?.["application/problem+json"]?.examples ?? {}).map(
    ({ value }) => value,
  );
}

function eventOf(kind: string, described: DocumentOperation, document: Document): Event {
  const body = bodyOf(described, document);
  return {
    kind,
    href: `${EVENTS_PATH}/${kind}`,
    summary: described.summary,
    headers: (described.parameters ?? []).map((parameter) => partOf(parameter, document)),
    schema: body?.schema ?? {},
    example: body?.example,
  };
}
