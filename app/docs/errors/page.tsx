import type { Metadata } from "next";
import { ErrorList } from "#components/docs/errors/error-list.tsx";
import { PageTitle } from "#components/docs/page-title.tsx";
import { Prose } from "#components/docs/prose.tsx";

export const metadata: Metadata = { title: "Errors" };

const TEXT = `Every error is \`application/problem+json\` (RFC 9457). A program looks at \`code\`; \`detail\` is a sentence about this one answer, for
people; \`type\` is the address of the code's page here; \`request_id\` is what to tell us. With status 400, \`errors\` names each place that is
not valid. [Errors, retries and rate limits](/docs/guides/errors-and-limits) says which of them to send again.`;

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
