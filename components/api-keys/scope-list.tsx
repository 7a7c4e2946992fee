import { SCOPES } from "#lib/wire/scopes.ts";
import { groupedScopes, resourceLabel } from "./labels.ts";

const SHOWN = 2;

/** The first two resources and the number of others. */
export function ScopeSummary({ scopes }: { scopes: readonly string[] }) {
  const groups = groupedScopes(scopes);
  if (scopes.length === SCOPES.length) return <span>Everything</span>;
  const rest = groups.slice(SHOWN);
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
      {groups.slice(0, SHOWN).map(({ resource, actions }) => (
        <span key={resource} className="whitespace-nowrap">
          <span className="inline-block first-letter:uppercase">{resourceLabel(resource)}</span>{" "}
          <span className="text-muted">{actions.join(", ")}</span>
        </span>
      ))}
      {rest.length > 0 && (
        <span
          className="text-muted"
          title={rest
            .map(({ resource, actions }) => `${resourceLabel(resource)} ${actions.join(", ")}`)
            .join("; ")}
        >
          +{rest.length} more
        </span>
      )}
    </span>
  );
}
