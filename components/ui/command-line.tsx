import { CopyButton } from "./copy-button.tsx";

/**
 * A command with a copy button. The button has its own column, because over the command it would
 * hide scrolled text.
 */
export function CommandLine({ text, onCopied }: { text: string; onCopied?: () => void }) {
  return (
    <div className="flex items-start rounded-md border border-line bg-canvas text-left">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        className="min-w-0 flex-1 overflow-x-auto rounded-md p-3 pr-1 font-mono text-xs leading-5 text-ink"
      >
        {text}
      </pre>
      <div className="shrink-0 p-1">
        <CopyButton text={text} label="Copy the command" onCopied={onCopied} />
      </div>
    </div>
  );
}
