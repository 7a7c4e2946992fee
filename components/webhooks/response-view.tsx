import { CopyButton } from "#components/ui/copy-button.tsx";
import { InertText } from "#components/ui/inert-text.tsx";
import type { DeliveryDetail } from "#lib/webhooks/deliveries/contract.ts";

type AttemptResponse = NonNullable<DeliveryDetail["attempts"][number]["response"]>;

/** A receiver's response, as plain text. */
export function ResponseView({
  response: { headers, body, truncated },
}: {
  response: AttemptResponse;
}) {
  const pretty = prettyJson(body);
  return (
    <div className="flex flex-col gap-2">
      {Object.keys(headers).length > 0 && (
        <InertText label="Response headers" text={linesOf(headers)} />
      )}
      {body === "" ? (
        <p className="text-sm text-muted">The body is empty or compressed.</p>
      ) : (
        <div className="relative">
          <InertText label="Response body" text={pretty ?? body} className="pr-12" />
          <div className="absolute top-0.5 right-2 rounded-md bg-canvas p-1 pl-2">
            <CopyButton text={body} label="Copy the response" />
          </div>
        </div>
      )}
      {truncated && <p className="text-sm text-muted">Truncated: only the beginning is stored.</p>}
    </div>
  );
}

/** The request headers, without the signature, which isn't stored. */
export function RequestHeaders({ eventId, startedAt }: { eventId: string; startedAt: string }) {
  const headers = {
    "content-type": "application/json",
    "webhook-id": eventId,
    "webhook-timestamp": String(Math.floor(Date.parse(startedAt) / 1000)),
    "webhook-signature": "v1,… (one per active signing secret; not stored)",
  };
  return <InertText label="Request headers" text={linesOf(headers)} />;
}

function linesOf(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}

function prettyJson(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}
