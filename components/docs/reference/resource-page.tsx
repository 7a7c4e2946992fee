import { DocsLink } from "../docs-link.tsx";
import { Heading } from "../heading.tsx";
import { PageTitle } from "../page-title.tsx";
import { Fields } from "./fields.tsx";
import { MethodLabel, Path } from "./method.tsx";
import type { Operation, Resource } from "./reference.ts";
import { type Definitions, fieldsOf, schemaName } from "./schema.ts";

/** A resource: its operations and its object. */
export function ResourcePage({
  resource,
  definitions,
}: {
  resource: Resource;
  definitions: Definitions;
}) {
  const object = resource.operations
    .map(({ response }) => response.schema)
    .find((schema) => schemaName(schema));
  return (
    <article className="flex max-w-3xl flex-col gap-6">
      <PageTitle
        trail={[{ name: "API reference", href: "/docs/reference" }]}
        title={resource.title}
      >
        <p className="text-lg text-pretty text-muted">{resource.description}</p>
      </PageTitle>
      <section aria-labelledby="operations" className="flex flex-col gap-3">
        <Heading id="operations">Operations</Heading>
        <OperationList operations={resource.operations} />
      </section>
      {object && (
        <section aria-labelledby="object" className="flex flex-col gap-1">
          <Heading id="object">{`The object: ${schemaName(object)?.replace(/Output$/, "")}`}</Heading>
          <Fields
            fields={fieldsOf(object, definitions)}
            definitions={definitions}
            request={false}
          />
        </section>
      )}
    </article>
  );
}

export function OperationList({ operations }: { operations: readonly Operation[] }) {
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line">
      {operations.map(({ href, contract }) => (
        <li key={href}>
          <DocsLink
            href={href}
            className="flex flex-col gap-1 px-4 py-2.5 -outline-offset-2 hover:bg-hover"
          >
            <span className="font-medium">{contract.summary}</span>
            <span className="flex flex-wrap items-center gap-2 text-muted">
              <MethodLabel method={contract.method} />
              <Path path={contract.path} />
            </span>
          </DocsLink>
        </li>
      ))}
    </ul>
  );
}
