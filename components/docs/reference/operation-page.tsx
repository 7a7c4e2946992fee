import { CodeBlock } from "../code/code-block.tsx";
import { CodeTabs } from "../code/code-tabs.tsx";
import { DocsLink } from "../docs-link.tsx";
import { Heading } from "../heading.tsx";
import { Inline } from "../inline.tsx";
import { PageTitle } from "../page-title.tsx";
import { AccessTable } from "./access.tsx";
import { examplesOf } from "./examples.ts";
import { Fields } from "./fields.tsx";
import { MethodLabel, Path } from "./method.tsx";
import type { Operation, Resource } from "./reference.ts";
import { type Definitions, fieldsOf, isOpen, refusedFields, schemaName } from "./schema.ts";

type Props = { operation: Operation; resource: Resource; origin: string; definitions: Definitions };

/** One operation: its input on the left, a request and its response on the right. */
export function OperationPage({ operation, resource, origin, definitions }: Props) {
  const { contract, parameters, body, response } = operation;
  const examples = examplesOf(operation, origin);
  const placed = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map((parameter) => ({ ...parameter, required: parameter.required === true }));
  return (
    <article className="flex flex-col gap-6">
      <PageTitle
        trail={[
          { name: "API reference", href: "/docs/reference" },
          { name: resource.title, href: resource.href },
        ]}
        title={contract.summary}
      >
        <span className="flex flex-wrap items-center gap-2 rounded-md border border-line bg-canvas px-3 py-2">
          <MethodLabel method={contract.method} />
          <Path path={contract.path} />
        </span>
        {contract.description && (
          <p className="max-w-prose text-lg text-pretty text-muted">
            <Inline text={contract.description} />
          </p>
        )}
      </PageTitle>
      <div className="grid gap-x-10 gap-y-6 xl:grid-cols-[minmax(0,1fr)_minmax(0,29rem)]">
        <div className="flex min-w-0 flex-col gap-4">
          <Heading id="who-may-call">Who may call</Heading>
          <AccessTable access={contract.access} />
          <Part id="path" title="In the path" fields={placed("path")} definitions={definitions} />
          <Part id="query" title="Query" fields={placed("query")} definitions={definitions} />
          <Part id="headers" title="Headers" fields={placed("header")} definitions={definitions} />
          {body && (
            <section aria-labelledby="body" className="flex flex-col gap-1">
              <Heading id="body">Body</Heading>
              <p className="text-sm text-muted">
                {body.required ? "Required" : "Optional"}, as{" "}
                <Inline text={body.mediaTypes.map((type) => `\`${type}\``).join(" or ")} />.
              </p>
              <Fields
                fields={fieldsOf(body.schema, definitions)}
                definitions={definitions}
                request
              />
              {isOpen(body.schema) && (
                <p className="text-base text-muted">Any other field is stored as sent.</p>
              )}
              <Refused names={refusedFields(body.schema)} />
            </section>
          )}
          {contract.idempotency && (
            <p className="text-base text-muted">
              {contract.idempotency.required
                ? "An idempotency key is required"
                : "Accepts an idempotency key"}
              :{" "}
              <DocsLink
                href="/docs/guides/idempotency"
                className="text-accent-text underline underline-offset-2"
              >
                so that a retry never runs it twice
              </DocsLink>
              .
            </p>
          )}
          <ResponseSection operation={operation} definitions={definitions} />
          <Problems operation={operation} />
        </div>
        <div className="min-w-0 max-xl:order-first">
          <div className="flex flex-col gap-4 xl:sticky xl:top-20">
            <CodeTabs
              id={`call-${operation.slug}`}
              label="Request"
              tabs={examples.map(({ language, code }) => ({
                name: language,
                language: language.toLowerCase(),
                code,
              }))}
            />
            {response.file === undefined ? (
              <CodeBlock
                output
                title={`Response, ${response.status}`}
                language="json"
                code={JSON.stringify(response.example, null, 2)}
              />
            ) : (
              <CodeBlock
                output
                title={`Response, ${response.status}, as CSV`}
                language="text"
                code={response.file}
              />
            )}
          </div>
        </div>
      </div>
    </article>
  );
}

function Part({
  id,
  title,
  fields,
  definitions,
}: {
  id: string;
  title: string;
  fields: Parameters<typeof Fields>[0]["fields"];
  definitions: Definitions;
}) {
  if (fields.length === 0) return null;
  return (
    <section aria-labelledby={id} className="flex flex-col gap-1">
      <Heading id={id}>{title}</Heading>
      <Fields fields={fields} definitions={definitions} request />
    </section>
  );
}

function Refused({ names }: { names: string[] }) {
  if (names.length === 0) return null;
  return (
    <p className="max-w-prose text-base text-muted">
      The server sets <Inline text={names.map((name) => `\`${name}\``).join(", ")} />: a body that
      includes any of them is rejected.
    </p>
  );
}

function ResponseSection({
  operation: { response },
  definitions,
}: {
  operation: Operation;
  definitions: Definitions;
}) {
  const name = schemaName(response.schema);
  return (
    <section aria-labelledby="answer" className="flex flex-col gap-1">
      <Heading id="response">Response</Heading>
      <p className="text-base text-muted">
        <code className="font-mono text-sm font-semibold text-ink">{response.status}</code>
        {response.file !== undefined
          ? " with a file in the requested format."
          : name && !name.startsWith("__")
            ? ` with ${/^[AEIOU]/.test(name) ? "an" : "a"} ${name.replace(/Output$/, "")}.`
            : " with these fields."}
      </p>
      {response.file === undefined && (
        <Fields
          fields={fieldsOf(response.schema, definitions)}
          definitions={definitions}
          request={false}
        />
      )}
      <details className="text-base">
        <summary className="w-fit cursor-pointer rounded-sm text-sm font-medium text-muted hover:text-ink">
          Response headers
        </summary>
        <ul className="flex flex-col divide-y divide-line">
          {response.headers.map(({ name: header, description }) => (
            <li key={header} className="flex flex-col gap-0.5 py-2">
              <code className="font-mono text-sm font-semibold">{header}</code>
              <span className="text-muted">{description}</span>
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}

function Problems({ operation: { problems } }: { operation: Operation }) {
  return (
    <section aria-labelledby="errors" className="flex flex-col gap-1">
      <Heading id="errors">Errors</Heading>
      <ul className="flex flex-col divide-y divide-line">
        {problems.map(({ code, status, title }) => (
          <li key={code} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 py-2">
            <span className="font-mono text-sm text-muted">{status}</span>
            <DocsLink
              href={`/docs/errors/${code}`}
              className="font-mono text-sm font-semibold underline decoration-line underline-offset-4 hover:decoration-current"
            >
              {code}
            </DocsLink>
            <span className="text-base text-muted">{title}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
