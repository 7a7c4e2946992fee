"use client";

import { useId } from "react";
import type { Scope } from "#lib/wire/access.ts";
import { SCOPES } from "#lib/wire/scopes.ts";
import { toggleScope } from "./draft.ts";
import { type Action, RESOURCES, resourceLabel, scopeOf } from "./labels.ts";

/** A key's scopes, by resource. */
export function ScopePicker({
  scopes,
  onChange,
  error,
}: {
  scopes: readonly Scope[];
  onChange: (scopes: Scope[]) => void;
  error: string | undefined;
}) {
  const id = useId();
  const box = (action: Action, resource: string) => {
    const scope = scopeOf(action, resource);
    if (!SCOPES.includes(scope)) return <span />;
    return (
      <label className="flex h-10 cursor-pointer items-center justify-center rounded-sm hover:bg-hover">
        <span className="sr-only">
          {action} {resourceLabel(resource)}
        </span>
        <input
          type="checkbox"
          checked={scopes.includes(scope)}
          aria-invalid={error !== undefined}
          aria-describedby={`${id}-error`}
          onChange={(event) => onChange(toggleScope(scopes, scope, event.target.checked))}
          className="size-4.5 accent-accent"
        />
      </label>
    );
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 text-sm font-medium">Scopes</legend>
      <div className="divide-y divide-line rounded-md border border-line">
        <div
          aria-hidden
          className="grid grid-cols-[minmax(0,1fr)_4.5rem_4.5rem] items-center px-3 py-1.5 text-xs font-medium text-muted"
        >
          <span>Resource</span>
          <span className="text-center">Read</span>
          <span className="text-center">Write</span>
        </div>
        {RESOURCES.map((resource) => (
          <div
            key={resource}
            className="grid grid-cols-[minmax(0,1fr)_4.5rem_4.5rem] items-center px-3"
          >
            <span aria-hidden className="truncate text-sm first-letter:uppercase">
              {resourceLabel(resource)}
            </span>
            {box("read", resource)}
            {box("write", resource)}
          </div>
        ))}
      </div>
      <p className="text-sm text-muted">Write access doesn't include read access.</p>
      <p id={`${id}-error`} className="text-sm text-danger-text empty:hidden">
        {error}
      </p>
    </fieldset>
  );
}
