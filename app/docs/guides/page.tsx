import type { Metadata } from "next";
import { GuideGroups } from "#components/docs/guide-groups.tsx";
import { PageTitle } from "#components/docs/page-title.tsx";
import { guideGroups } from "../guides.ts";

export const metadata: Metadata = { title: "Guides" };

export default async function GuidesPage() {
  return (
    <article className="flex max-w-4xl flex-col gap-8">
      <PageTitle title="Guides">
        <p className="text-lg text-muted">
          From your first call to reliable webhooks. Our tests run every example.
        </p>
      </PageTitle>
      <GuideGroups groups={await guideGroups()} />
    </article>
  );
}
