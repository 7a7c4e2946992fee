import { isValidElement, type ReactNode } from "react";
import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { CodeBlock } from "./code/code-block.tsx";
import { CodeTabs } from "./code/code-tabs.tsx";
import { joinTabs } from "./code/join-tabs.ts";
import { DocsLink } from "./docs-link.tsx";
import { Heading } from "./heading.tsx";
import { slugOf } from "./slug.ts";

const COMPONENTS: Components = {
  h2: ({ children }) => <Heading id={slugOf(textOf(children))}>{children}</Heading>,
  h3: ({ children }) => (
    <Heading level="h3" id={slugOf(textOf(children))}>
      {children}
    </Heading>
  ),
  p: ({ children }) => <p className="max-w-prose text-pretty">{children}</p>,
  a: ({ href = "", children }) =>
    href.startsWith("/") ? (
      <DocsLink href={href} className="text-accent-text underline underline-offset-2">
        {children}
      </DocsLink>
    ) : (
      <a href={href} className="text-accent-text underline underline-offset-2">
        {children}
      </a>
    ),
  ul: ({ children }) => (
    <ul className="flex max-w-prose list-disc flex-col gap-1.5 pl-5 marker:text-muted">
      {children}
    </ul>
  ),
  ol: ({ children }) => (
    <ol className="flex max-w-prose list-decimal flex-col gap-1.5 pl-5 marker:text-muted">
      {children}
    </ol>
  ),
  code: ({ children }) => (
    <code className="rounded-sm bg-selected px-1 font-mono text-[0.9em] wrap-anywhere">
      {children}
    </code>
  ),
  pre: ({ node }) => <Fence {...codeIn(node)} />,
  section: ({ node }) => (
    <Tabs
      title={String(node?.properties.title)}
      fences={(node?.children ?? []).filter(({ type }) => type === "element").map(codeIn)}
    />
  ),
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <div tabIndex={0} className="overflow-x-auto rounded-lg border border-line">
      <table className="w-full border-collapse text-left text-base">{children}</table>
    </div>
  ),
  th: ({ children }) => (
    <th className="border-b border-line bg-canvas px-3 py-2 text-sm font-medium text-muted">
      {children}
    </th>
  ),
  td: ({ children }) => (
    <td className="border-b border-line px-3 py-2 align-top [tr:last-child>&]:border-0">
      {children}
    </td>
  ),
  blockquote: ({ children }) => (
    <blockquote className="border-l-2 border-accent pl-4 text-muted">{children}</blockquote>
  ),
};

/** Our own Markdown. */
export function Prose({ text }: { text: string }) {
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Markdown components={COMPONENTS} remarkPlugins={[remarkGfm, () => joinTabs]} skipHtml>
        {text}
      </Markdown>
    </div>
  );
}

/** ```` ```js receiver.mjs ```` names a file, ```` ```json output ```` is a response. */
type CodeElement = {
  properties: { className?: string[] };
  data?: { meta?: string | null };
  children: { value?: string }[];
};

function codeIn(pre: unknown): CodeElement {
  return (pre as { children: CodeElement[] }).children[0] as CodeElement;
}

const LANGUAGES: Record<string, string> = {
  sh: "Shell",
  js: "JavaScript",
  ts: "TypeScript",
  sql: "SQL",
};

function Fence({ children, properties, data }: CodeElement) {
  const language = String(properties.className?.[0] ?? "").replace("language-", "") || "text";
  const [word = "", ...rest] = (data?.meta ?? "").split(" ");
  const output = word === "output";
  const title = output
    ? rest.includes("partial")
      ? "Response, shortened"
      : "Response"
    : word || LANGUAGES[language] || language;
  return <CodeBlock code={codeOf(children)} language={language} title={title} output={output} />;
}

function Tabs({ title, fences }: { title: string; fences: CodeElement[] }) {
  const tabs = fences.map(({ children, properties, data }) => ({
    name: /tab=(\S+)/.exec(data?.meta ?? "")?.[1] ?? "",
    language: String(properties.className?.[0] ?? "").replace("language-", ""),
    code: codeOf(children),
  }));
  return <CodeTabs id={slugOf(title)} label={title} tabs={tabs} />;
}

function codeOf(children: CodeElement["children"]): string {
  return children
    .map(({ value = "" }) => value)
    .join("")
    .replace(/\n$/, "");
}

function textOf(children: ReactNode): string {
  if (typeof children === "string") return children;
  if (Array.isArray(children)) return children.map(textOf).join("");
  return isValidElement<{ children?: ReactNode }>(children) ? textOf(children.props.children) : "";
}
