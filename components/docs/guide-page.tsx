import { OnThisPage } from "./on-this-page.tsx";
import { PageTitle } from "./page-title.tsx";
import { Prose } from "./prose.tsx";

export function GuidePage({
  title,
  lead,
  text,
  children,
}: {
  title: string;
  lead: string;
  text: string;
  children: React.ReactNode;
}) {
  return (
    <div className="grid gap-x-10 xl:grid-cols-[minmax(0,46rem)_minmax(0,14rem)] xl:justify-between">
      <article className="flex min-w-0 flex-col gap-6">
        <PageTitle trail={[{ name: "Guides", href: "/docs/guides" }]} title={title}>
          <div className="text-lg text-muted">
            <Prose text={lead} />
          </div>
        </PageTitle>
        <div className="text-lg">
          <Prose text={text} />
        </div>
        {children}
      </article>
      <OnThisPage text={text} />
    </div>
  );
}
