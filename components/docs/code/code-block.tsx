import { CopyCode } from "./copy-code.tsx";
import { Highlighted } from "./highlight.tsx";

/** Code to read and copy. `output`: a response, not something to type. */
export function CodeBlock({
  code,
  language,
  title,
  output = false,
}: {
  code: string;
  language: string;
  title: string;
  output?: boolean;
}) {
  return (
    <figure className="min-w-0 overflow-hidden rounded-lg border border-line bg-canvas">
      <figcaption className="flex h-10 items-center justify-between gap-2 border-b border-line pr-1 pl-3.5">
        <span className="truncate text-xs font-medium text-muted">{title}</span>
        {!output && <CopyCode label={`Copy: ${title}`} />}
      </figcaption>
      <Code code={code} language={language} />
    </figure>
  );
}

export function Code({ code, language }: { code: string; language: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
      tabIndex={0}
      className="docs-code max-h-[32rem] overflow-auto p-3.5 font-mono text-xs leading-5"
    >
      <code>
        <Highlighted code={code} language={language} />
      </code>
    </pre>
  );
}
