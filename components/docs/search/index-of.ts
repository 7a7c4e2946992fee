import { ERROR_CODES, ERRORS } from "#lib/wire/errors.ts";
import { CATALOGUE } from "../errors/catalogue.ts";
import type { Reference } from "../reference/reference.ts";
import { fieldsOf } from "../reference/schema.ts";
import { slugOf } from "../slug.ts";
import type { Entry } from "./search.ts";

type Guide = { href: string; title: string; lead: string; text: string };

/**
 * Everything that can be found: each guide and each of its sections, each resource, operation,
 * event and error.
 */
export function indexOf(
  guides: readonly Guide[],
  { resources, events, definitions }: Reference,
): Entry[] {
  return [
    ...guides.flatMap(guideEntries),
    ...resources.map(
      ({ title, href, description }): Entry => ({
        title,
        kind: "Resource",
        place: "API reference",
        href,
        text: description,
      }),
    ),
    ...resources.flatMap(({ title: place, operations }) =>
      operations.map(({ href, contract, parameters, body }): Entry => {
        const names = [
          ...parameters.filter((parameter) => parameter.in === "query"),
          ...(body ? fieldsOf(body.schema, definitions) : []),
        ].map(({ name }) => name);
        const text = [
          contract.method,
          contract.path,
          contract.operationId,
          contract.description,
          ...names,
        ].join(" ");
        return { title: contract.summary, kind: "Operation", place, href, text };
      }),
    ),
    ...events.map(
      ({ kind, href, summary }): Entry => ({
        title: kind,
        kind: "Event",
        place: "Webhook events",
        href,
        text: summary,
      }),
    ),
    ...ERROR_CODES.map((code): Entry => {
      const { status, title } = ERRORS[code];
      const { means, when, todo } = CATALOGUE[code];
      const text = plain([means, ...when, ...todo].join(" "));
      return {
        title: code,
        kind: "Error",
        place: `${status} ${title}`,
        href: `/docs/errors/${code}`,
        text,
      };
    }),
  ];
}

function guideEntries({ href, title, lead, text }: Guide): Entry[] {
  const [start = "", ...sections] = text.split(/^## /m);
  return [
    { title, kind: "Guide", place: "Guides", href, text: plain(`${lead} ${start}`) },
    ...sections.map((section): Entry => {
      const [heading = "", ...rest] = section.split("\n");
      const name = heading.replaceAll("`", "");
      return {
        title: name,
        kind: "Guide",
        place: title,
        href: `${href}#${slugOf(name)}`,
        text: plain(rest.join(" ")),
      };
    }),
  ];
}

/** Markdown without its marks, each word once. */
function plain(text: string): string {
  return [...new Set(text.replace(/\]\([^)]*\)/g, " ").split(/[\s`*|[\]#>"'(){},;]+/))].join(" ");
}
