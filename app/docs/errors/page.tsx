import type { Metadata } from "next";
import { ErrorList } from "#components/docs/errors/error-list.tsx";
import { PageTitle } from "#components/docs/page-title.tsx";
import { Prose } from "#components/docs/prose.tsx";

export const metadata: Metadata = { title: "Errors" };

const TEXT = `Every error is \`application/problem+json\` (RFC 9457). \`code\` is for your
program; \`detail\` explains this one response to a person; \`type\` links to the code's page here;
\`request_id\` is what to quote to us. With status 400, \`errors\` lists each invalid field.
[Errors, retries and rate limits](/docs/guides/errors-and-limits) explains which ones to retry.`;

export default function ErrorsPage() {
  return (
    <article className="flex max-w-3xl flex-col gap-6">
      <PageTitle title="Errors">
        <Prose text={TEXT} />
      </PageTitle>
      <ErrorList />
    </article>
  );
}
