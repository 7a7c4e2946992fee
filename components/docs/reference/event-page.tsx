import { CodeBlock } from "../code/code-block.tsx";
import { DocsLink } from "../docs-link.tsx";
import { Heading } from "../heading.tsx";
import { PageTitle } from "../page-title.tsx";
import { Fields } from "./fields.tsx";
import { EVENTS_PATH, type Event } from "./reference.ts";
import { type Definitions, fieldsOf } from "./schema.ts";

const TRAIL = [
  { name: "API reference", href: "/docs/reference" },
  { name: "Webhook events", href: EVENTS_PATH },
];

/** The payload of one event type. */
export function EventPage({ event, definitions }: { event: Event; definitions: Definitions }) {
  const headers = event.headers.map((header) => ({ ...header, required: true }));
  return (
    <article className="flex flex-col gap-6">
      <PageTitle trail={TRAIL} title={event.kind}>
        <p className="max-w-prose text-lg text-pretty text-muted">
          {event.summary}.{" "}
          <DocsLink
            href="/docs/guides/webhooks"
            className="text-accent-text underline underline-offset-2"
          >
            How to receive and verify events
          </DocsLink>
          .
        </p>
      </PageTitle>
      <div className="grid gap-x-10 gap-y-6 xl:grid-cols-[minmax(0,1fr)_minmax(0,29rem)]">
        <div className="flex min-w-0 flex-col gap-4">
          <section aria-labelledby="headers" className="flex flex-col gap-1">
            <Heading id="headers">Headers</Heading>
            <Fields fields={headers} definitions={definitions} request={false} />
          </section>
          <section aria-labelledby="body" className="flex flex-col gap-1">
            <Heading id="body">Body</Heading>
            <Fields
              fields={fieldsOf(event.schema, definitions)}
              definitions={definitions}
              request={false}
            />
          </section>
        </div>
        <div className="min-w-0 max-xl:order-first xl:sticky xl:top-20 xl:self-start">
          <CodeBlock
            output
            title="Body"
            language="json"
            code={JSON.stringify(event.example, null, 2)}
          />
        </div>
      </div>
    </article>
  );
}

export function EventList({ events }: { events: readonly Event[] }) {
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line">
      {events.map(({ kind, href, summary }) => (
        <li key={kind}>
          <DocsLink
            href={href}
            className="flex flex-col gap-0.5 px-4 py-2.5 -outline-offset-2 hover:bg-hover"
          >
            <span className="font-mono text-sm font-semibold wrap-anywhere">{kind}</span>
            <span className="text-muted">{summary}</span>
          </DocsLink>
        </li>
      ))}
    </ul>
  );
}
