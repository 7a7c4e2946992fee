import { CopyButton } from "./copy-button.tsx";

/** A command to copy. */
export function CommandLine({ text, onCopied }: { text: string; onCopied?: () => void }) {
  return (
    <div className="relative rounded-md border border-line bg-canvas text-left">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <pre tabIndex={0} className="overflow-x-auto p-3 pr-12 font-mono text-xs leading-5 text-ink">
        {text}
      </pre>
      <div className="absolute top-0.5 right-0.5 rounded-md bg-canvas p-1 pl-2">
        <CopyButton text={text} label="Copy the command" onCopied={onCopied} />
      </div>
    </div>
  );
}
