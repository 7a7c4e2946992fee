import type { ReactNode } from "react";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { InertText } from "#components/ui/inert-text.tsx";
import type { LoggedMessage } from "#lib/request-log/contract.ts";

/** The headers and the body that were sent, as plain text. */
export function MessageView({
  title,
  message,
  action,
}: {
  title: string;
  message: LoggedMessage | null;
  action?: ReactNode;
}) {
  if (!message) return null;
  const { headers, body, bytes, truncated } = message;
  const pretty = body === null ? null : (prettyJson(body) ?? body);
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <div className="flex min-h-8 items-center justify-between gap-2">
        <h3 className="text-sm font-semibold">{title}</h3>
        <span className="flex items-center">
          {action}
          {body && <CopyButton text={body} label={`Copy the ${title.toLowerCase()} body`} />}
        </span>
      </div>
      {pretty ? (
        <InertText label={`${title} body`} text={pretty} />
      ) : (
        <p className="text-sm text-muted">{absence(message)}</p>
      )}
      {pretty && truncated && (
        <p className="text-sm text-muted">
          Truncated: only the beginning of {bytes?.toLocaleString("en")} bytes is stored.
        </p>
      )}
      <Disclosure title={`${title} headers`}>
        <InertText
          label={`${title} headers`}
          text={Object.entries(headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join("\n")}
        />
      </Disclosure>
    </section>
  );
}

function absence({ bytes, truncated }: LoggedMessage): string {
  if (truncated)
    return "Not stored: the body may contain a secret, or too many requests arrived at once.";
  return bytes === null ? "Not stored: the body is a file, or wasn't read." : "No body.";
}

function prettyJson(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}
