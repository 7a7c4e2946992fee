import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";
import { Note } from "#components/ui/note.tsx";

/** Someone else saved first. Nothing is lost until the reader chooses which changes stay. */
export function ConflictNote({
  onOverwrite,
  onDiscard,
  children,
}: {
  onOverwrite: () => void;
  onDiscard: () => void;
  children: ReactNode;
}) {
  return (
    <Note tone="warning">
      <p>{children}</p>
      <div className="flex flex-wrap gap-2 pt-2">
        <Button size="sm" onClick={onOverwrite}>
          Overwrite with my changes
        </Button>
        <Button size="sm" onClick={onDiscard}>
          Discard my changes
        </Button>
      </div>
    </Note>
  );
}
