import type { Metadata } from "next";
import { DocsLink } from "#components/docs/docs-link.tsx";
import { PageTitle } from "#components/docs/page-title.tsx";
import { EventList } from "#components/docs/reference/event-page.tsx";
import { reference } from "../reference.ts";

export const metadata: Metadata = { title: "Webhook events" };

export default function EventsPage() {
  return (
    <article className="flex max-w-3xl flex-col gap-6">
      <PageTitle
        trail={[{ name: "API reference", href: "/docs/reference" }]}
        title="Webhook events"
      >
        <p className="text-lg text-pretty text-muted">
          A webhook subscribes to event types. Each event is a signed{" "}
          <code className="font-mono text-base">POST</code> with{" "}
          <code className="font-mono text-base">type</code>,{" "}
          <code className="font-mono text-base">timestamp</code> and{" "}
          <code className="font-mono text-base">data</code>.{" "}
          <DocsLink
            href="/docs/guides/webhooks"
            className="text-accent-text underline underline-offset-2"
          >
            Receiving webhooks
          </DocsLink>
        </p>
      </PageTitle>
      <EventList events={reference().events} />
    </article>
  );
}
