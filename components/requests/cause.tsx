import Link from "next/link";
import { Note } from "#components/ui/note.tsx";
import type { LoggedRequestDetail } from "#lib/request-log/contract.ts";
import { ERRORS, type ErrorCode, type FieldError } from "#lib/wire/errors.ts";

type Problem = { detail?: string; errors?: FieldError[] };

/**
 * Why a request failed: the title from the error catalogue, the detail of the response, and a link
 * to the documentation.
 */
export function Cause({
  call: { error_code: code, status, response },
}: {
  call: LoggedRequestDetail;
}) {
  const known = ERRORS[code as ErrorCode] as { title: string } | undefined;
  const { detail, errors = [] } = problemIn(response?.body ?? null);
  return (
    <Note tone={status >= 500 ? "danger" : "warning"}>
      <p>
        <strong>{known?.title ?? code}.</strong> {detail}
      </p>
      {errors.length > 0 && (
        <ul className="list-disc pt-1 pl-4">
          {errors.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {path && <code className="font-mono text-xs">{path}</code>} {message}
            </li>
          ))}
        </ul>
      )}
      <Link href={`/docs/errors/${code}`} prefetch={false} className="underline">
        What {code} means and what to do
      </Link>
    </Note>
  );
}

function problemIn(body: string | null): Problem {
  try {
    return JSON.parse(body ?? "{}") as Problem;
  } catch {
    return {};
  }
}
