import { DocsLink } from "./docs-link.tsx";
import { slugOf } from "./slug.ts";

type Props = {
  groups: readonly {
    title: string;
    guides: readonly { href: string; title: string; lead: string }[];
  }[];
};

export function GuideGroups({ groups }: Props) {
  return groups.map(({ title, guides }) => (
    <section key={title} aria-labelledby={slugOf(title)} className="flex flex-col gap-3">
      <h2 id={slugOf(title)} className="text-lg font-semibold tracking-tight">
        {title}
      </h2>
      <ul className="grid gap-3 sm:grid-cols-2">
        {guides.map((guide) => (
          <li key={guide.href}>
            <DocsLink
              href={guide.href}
              className="flex h-full flex-col gap-1 rounded-lg border border-line px-4 py-3 hover:bg-hover"
            >
              <span className="font-medium">{guide.title}</span>
              <span className="line-clamp-3 text-muted">{guide.lead.replaceAll("`", "")}</span>
            </DocsLink>
          </li>
        ))}
      </ul>
    </section>
  ));
}
