import { ERROR_CODES, ERRORS } from "#lib/wire/errors.ts";
import { DocsLink } from "../docs-link.tsx";

export function ErrorList() {
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line">
      {ERROR_CODES.map((code) => (
        <li key={code}>
          <DocsLink
            href={`/docs/errors/${code}`}
            className="grid grid-cols-[2.5rem_minmax(0,1fr)] items-baseline gap-x-2 px-4 py-2.5 -outline-offset-2 hover:bg-hover"
          >
            <span className="font-mono text-sm text-muted">{ERRORS[code].status}</span>
            <span className="font-mono text-sm font-semibold">{code}</span>
            <span className="col-start-2 text-muted">{ERRORS[code].title}</span>
          </DocsLink>
        </li>
      ))}
    </ul>
  );
}
