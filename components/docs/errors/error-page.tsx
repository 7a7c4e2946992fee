import { ERRORS, type ErrorCode } from "#lib/wire/errors.ts";
import { CodeBlock } from "../code/code-block.tsx";
import { DocsLink } from "../docs-link.tsx";
import { Heading } from "../heading.tsx";
import { PageTitle } from "../page-title.tsx";
import { Prose } from "../prose.tsx";
import { MethodLabel } from "../reference/method.tsx";
import type { Resource } from "../reference/reference.ts";
import { CATALOGUE, type Entry } from "./catalogue.ts";

const RETRIES: Record<Entry["retry"], string> = {
  never: "No. You'll get the same response.",
  changed: "Only after you change something. The same request gets the same response.",
  later: "Yes, later. The same request may succeed.",
  after_header:
    "If `retryable` is true: after the seconds in `Retry-After`. " +
    "Otherwise only after you change something.",
};

export function ErrorPage({
  code,
  resources,
  origin,
}: {
  code: ErrorCode;
  resources: readonly Resource[];
  origin: string;
}) {
  const { title, status } = ERRORS[code];
  const { means, when, todo, retry } = CATALOGUE[code];
  const answering = resources
    .map((resource) => ({
      ...resource,
      operations: resource.operations.filter(({ problems }) =>
        problems.some((problem) => problem.code === code),
      ),
    }))
    .filter(({ operations }) => operations.length > 0);
  return (
    <article className="flex flex-col gap-6">
      <PageTitle
        trail={[{ name: "Errors", href: "/docs/errors" }]}
        title={<code className="font-mono text-xl">{code}</code>}
      >
        <p className="flex flex-wrap items-center gap-2 text-lg text-muted">
          <span className="rounded-sm border border-line bg-canvas px-1.5 font-mono text-sm text-ink">
            {status}
          </span>
          {title}
        </p>
        <Prose text={means} />
      </PageTitle>
      <div className="grid gap-x-10 gap-y-6 xl:grid-cols-[minmax(0,1fr)_minmax(0,29rem)]">
        <div className="flex min-w-0 flex-col gap-4">
          <Heading id="when">When it happens</Heading>
          <Prose text={listOf(when)} />
          <Heading id="what-to-do">What to do</Heading>
          <Prose text={listOf(todo)} />
          <Heading id="retry">Can I retry?</Heading>
          <Prose text={RETRIES[retry]} />
          <Heading id="operations">Operations that return it</Heading>
          {answering.length === 0 && (
            <p className="text-muted">
              No documented operation: it's returned for a path or method that doesn't exist.
            </p>
          )}
          {answering.map(({ slug, title: name, operations }) => (
            <details
              key={slug}
              className="rounded-lg border border-line"
              open={answering.length === 1}
            >
              <summary className="flex min-h-10 cursor-pointer items-center justify-between gap-2 rounded-lg px-4 font-medium hover:bg-hover">
                {name} <span className="text-sm font-normal text-muted">{operations.length}</span>
              </summary>
              <ul className="flex flex-col border-t border-line py-1.5">
                {operations.map(({ href, contract }) => (
                  <li key={href}>
                    <DocsLink
                      href={href}
                      className="flex min-h-8 items-center gap-2 px-4 -outline-offset-2 hover:bg-hover"
                    >
                      <MethodLabel method={contract.method} />
                      <span className="min-w-0 truncate">{contract.summary}</span>
                    </DocsLink>
                  </li>
                ))}
              </ul>
            </details>
          ))}
        </div>
        <div className="min-w-0 max-xl:order-first xl:sticky xl:top-20 xl:self-start">
          <CodeBlock output title="Response" language="http" code={exampleResponse(code, origin)} />
        </div>
      </div>
    </article>
  );
}

/** The response on the wire. */
function exampleResponse(code: ErrorCode, origin: string): string {
  const { title, status } = ERRORS[code];
  const { detail, errors, headers, fields } = CATALOGUE[code];
  const lines = {
    "Content-Type": "application/problem+json",
    "X-Request-Id": REQUEST_ID,
    ...headers,
  };
  const body = {
    type: `${origin}/docs/errors/${code}`,
    title,
    status,
    detail,
    code,
    request_id: REQUEST_ID,
    ...fields,
    ...(errors && { errors }),
  };
  return [
    `HTTP/1.1 ${status}`,
    ...Object.entries(lines).map(([name, value]) => `${name}: ${value}`),
    "",
    JSON.stringify(body, null, 2),
  ].join("\n");
}

const REQUEST_ID = "req_2f1c0d9be7a84c5f9a3e6b7d8c9f0a1b";

function listOf(sentences: readonly string[]): string {
  return sentences.map((sentence) => `- ${sentence}`).join("\n");
}
