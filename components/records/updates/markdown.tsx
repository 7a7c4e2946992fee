import Markdown, { type Components } from "react-markdown";

/** One level below the title the text belongs to. */
const COMPONENTS: Components = {
  h1: ({ children }) => <h3 className="pt-2 text-lg font-semibold">{children}</h3>,
  h2: ({ children }) => <h3 className="pt-2 text-lg font-semibold">{children}</h3>,
  h3: ({ children }) => <h4 className="pt-1 font-semibold">{children}</h4>,
  h4: ({ children }) => <h5 className="font-semibold">{children}</h5>,
  a: ({ href, children }) => (
    <a
      href={href}
      rel="noopener noreferrer nofollow"
      className="text-accent-text underline underline-offset-2"
    >
      {children}
    </a>
  ),
  ul: ({ children }) => <ul className="flex list-disc flex-col gap-1 pl-5">{children}</ul>,
  ol: ({ children }) => <ol className="flex list-decimal flex-col gap-1 pl-5">{children}</ol>,
  blockquote: ({ children }) => (
    <blockquote className="border-l-2 border-line pl-3 text-muted">{children}</blockquote>
  ),
  code: ({ children }) => (
    <code className="rounded-sm bg-selected px-1 font-mono text-xs">{children}</code>
  ),
  pre: ({ children }) => (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
      tabIndex={0}
      className="overflow-x-auto rounded-md border border-line bg-canvas p-3 [&_code]:bg-transparent [&_code]:p-0"
    >
      {children}
    </pre>
  ),
  hr: () => <hr className="border-line" />,
};

/** Untrusted Markdown: no HTML, no external images, only web and mail links. */
export function MarkdownText({ text }: { text: string }) {
  return (
    <div className="flex flex-col gap-3 wrap-break-word">
      <Markdown components={COMPONENTS} skipHtml disallowedElements={["img"]}>
        {text}
      </Markdown>
    </div>
  );
}
