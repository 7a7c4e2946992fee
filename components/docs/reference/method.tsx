import type { Tone } from "#components/ui/badge.tsx";
import type { Method } from "#lib/wire/contract.ts";

const TONES: Record<Method, Tone> = {
  GET: "info",
  POST: "good",
  PUT: "warning",
  PATCH: "warning",
  DELETE: "danger",
};

export function MethodLabel({ method }: { method: Method }) {
  return (
    <span
      data-tone={TONES[method]}
      className="inline-flex h-5 items-center rounded-sm border border-tone-line bg-tone-soft px-1.5 font-mono text-xs font-semibold text-tone-ink"
    >
      {method}
    </span>
  );
}

/** `/v1/exceptions/{id}`, breaking between its parts. */
export function Path({ path }: { path: string }) {
  return (
    <code className="min-w-0 font-mono text-sm wrap-anywhere">
      {path.split(/(\{\w+\})/).map((part) =>
        part.startsWith("{") ? (
          <span key={part} className="text-accent-text">
            {part}
          </span>
        ) : (
          part
        ),
      )}
    </code>
  );
}
