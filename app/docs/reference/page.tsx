import type { Metadata } from "next";
import { DocsLink } from "#components/docs/docs-link.tsx";
import { Heading } from "#components/docs/heading.tsx";
import { PageTitle } from "#components/docs/page-title.tsx";
import { Prose } from "#components/docs/prose.tsx";
import { EVENTS_PATH } from "#components/docs/reference/reference.ts";
import { OperationList } from "#components/docs/reference/resource-page.tsx";
import { origin } from "../origin.ts";
import { reference } from "../reference.ts";

export const metadata: Metadata = { title: "API reference" };

const EVERY_CALL = `Every call carries \`Authorization: Bearer <credential>\` and names one tenant in \`X-Tenant-Id\`. Bodies are JSON objects of at most 1 MiB; unknown fields are rejected. Times are ISO 8601 in UTC, to the millisecond. An ID's prefix names its type, and IDs sort by creation time. Checks run in this order, and the first failure is returned: credential, tenant, role or scope, rate limit, body and query, existence, state.`;

export default function ReferencePage() {
  return (
    <article className="flex max-w-3xl flex-col gap-6">
      <PageTitle title="API reference">
        <p className="text-lg text-pretty text-muted">
          Each operation of <code className="font-mono text-base">{origin()}/v1</code>, generated
          from the contracts that validate your requests.{" "}
          <a href="/v1/openapi.json" className="text-accent-text underline underline-offset-2">
            OpenAPI 3.1
          </a>
        </p>
      </PageTitle>
      <Heading id="every-call">Every call</Heading>
      <Prose text={EVERY_CALL} />
      {reference().resources.map(({ slug, title, href, description, operations }) => (
        <section key={slug} aria-labelledby={slug} className="flex flex-col gap-3">
          <Heading id={slug}>{title}</Heading>
          <p className="text-muted">
            {description}{" "}
            <DocsLink href={href} className="text-accent-text underline underline-offset-2">
              The object and its fields
            </DocsLink>
          </p>
          <OperationList operations={operations} />
        </section>
      ))}
      <Heading id="webhook-events">Webhook events</Heading>
      <p className="text-muted">
        What a webhook receives:{" "}
        <DocsLink href={EVENTS_PATH} className="text-accent-text underline underline-offset-2">
          event types and their payloads
        </DocsLink>
        .
      </p>
    </article>
  );
}
