import { Inbox, SearchX } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { Notice } from "#components/ui/notice.tsx";

/** A tenant without an open exception: how the first one gets here. */
export function BoardEmpty({ origin, tenantId }: { origin: string; tenantId: string }) {
  const curl = [
    `curl ${origin}/v1/exceptions \\`,
    '  -H "Authorization: Bearer $TOKEN" \\',
    `  -H "X-Tenant-Id: ${tenantId}" \\`,
    '  -H "Content-Type: application/json" \\',
    `  -d '{"title": "Payout 4711 has no bank line", "severity": "high"}'`,
  ].join("\n");
  return (
    <Notice icon={Inbox} title="Nothing is open">
      <p>Exceptions appear here as soon as your systems report them. Report one with a token of your identity provider:</p>
      <div className="relative mt-4 rounded-md border border-line bg-canvas text-left">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <pre tabIndex={0} className="overflow-x-auto p-3 pr-12 font-mono text-xs leading-5 text-ink">
          {curl}
        </pre>
        <div className="absolute top-1.5 right-1.5 rounded-md bg-canvas">
          <CopyButton text={curl} label="Copy the command" />
        </div>
      </div>
    </Notice>
  );
}

export function BoardNoMatch({ onClear }: { onClear: () => void }) {
  return (
    <Notice icon={SearchX} title="No open exception matches" action={<Button onClick={onClear}>Clear filters</Button>}>
      Others are open, but none with these filters.
    </Notice>
  );
}
