import { Code } from "./code-block.tsx";
import { CopyCode } from "./copy-code.tsx";

export type Tab = { name: string; language: string; code: string };

// Spelled out, because Tailwind only generates classes it finds in the source.
const PANELS = [
  "hidden group-has-[.tab-0:checked]/tabs:block",
  "hidden group-has-[.tab-1:checked]/tabs:block",
  "hidden group-has-[.tab-2:checked]/tabs:block",
  "hidden group-has-[.tab-3:checked]/tabs:block",
  "hidden group-has-[.tab-4:checked]/tabs:block",
  "hidden group-has-[.tab-5:checked]/tabs:block",
  "hidden group-has-[.tab-6:checked]/tabs:block",
];

/** The same code in several languages, switched by native radio buttons: no script. */
export function CodeTabs({ id, label, tabs }: { id: string; label: string; tabs: readonly Tab[] }) {
  return (
    <figure className="group/tabs min-w-0 overflow-hidden rounded-lg border border-line bg-canvas">
      <figcaption className="flex min-h-10 items-center justify-between gap-2 border-b border-line pr-1 pl-1.5">
        <fieldset className="flex min-w-0 flex-wrap items-center py-1">
          <legend className="sr-only">{label}</legend>
          {tabs.map(({ name }, index) => (
            <label
              key={name}
              className="flex h-7 cursor-pointer items-center rounded-sm px-2 text-xs font-medium text-muted hover:text-ink has-checked:bg-selected has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-focus"
            >
              <input
                type="radio"
                name={id}
                value={name}
                defaultChecked={index === 0}
                className={`tab-${index} sr-only`}
              />
              {name}
            </label>
          ))}
        </fieldset>
        <CopyCode label={`Copy: ${label}`} />
      </figcaption>
      {tabs.map(({ name, language, code }, index) => (
        <div key={name} className={PANELS[index]}>
          <Code code={code} language={language} />
        </div>
      ))}
    </figure>
  );
}
