import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";

/** What was chosen from a list, each with a button that removes it. */
export function ChosenList({
  label,
  ids,
  nameOf,
  onRemove,
}: {
  label: string;
  ids: readonly string[];
  nameOf: (id: string) => ReactNode;
  onRemove: (id: string) => void;
}) {
  if (ids.length === 0) return null;
  return (
    <ul aria-label={label} className="flex flex-wrap gap-1.5">
      {ids.map((id) => (
        <li key={id} className="max-w-full">
          <Button size="sm" className="max-w-full" onClick={() => onRemove(id)}>
            <span className="truncate">{nameOf(id)}</span>
            <X aria-hidden className="size-4 shrink-0 text-muted" />
            <span className="sr-only">, remove</span>
          </Button>
        </li>
      ))}
    </ul>
  );
}
