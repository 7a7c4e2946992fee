import { slugOf } from "./slug.ts";

/** A page's table of contents, shown next to it if there is room. */
export function OnThisPage({ text }: { text: string }) {
  const sections = sectionsOf(text);
  if (sections.length < 2) return null;
  return (
    <aside aria-labelledby="on-this-page" className="max-xl:hidden">
      <div className="sticky top-20 flex flex-col gap-2">
        <h2 id="on-this-page" className="text-sm font-medium">
          On this page
        </h2>
        <ul className="flex flex-col gap-1 border-l border-line">
          {sections.map((title) => (
            <li key={title}>
              <a
                href={`#${slugOf(title)}`}
                className="-ml-px block border-l border-transparent py-1 pl-3 text-sm text-muted hover:border-accent hover:text-ink"
              >
                {title}
              </a>
            </li>
          ))}
        </ul>
      </div>
    </aside>
  );
}

/** The second-level headings, ignoring lines in code blocks. */
export function sectionsOf(text: string): string[] {
  return [...text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^## (.+)$/gm)].map(
    ([, title = ""]) => title.replaceAll("`", ""),
  );
}
