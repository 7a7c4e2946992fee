import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";
import { Note } from "#components/ui/note.tsx";

/** Somebody else saved first: whose shall it be? Nothing is lost until that is said. */
export function ConflictNote({
  mine,
  theirs,
  onMine,
  onTheirs,
  children,
}: {
  mine: string;
  theirs: string;
  onMine: () => void;
  onTheirs: () => void;
  children: ReactNode;
}) {
  return (
    <Note tone="warning">
      <p>{children}</p>
      <div className="flex flex-wrap gap-2 pt-2">
        <Button size="sm" onClick={onMine}>
          {mine}
        </Button>
        <Button size="sm" onClick={onTheirs}>
          {theirs}
        </Button>
      </div>
    </Note>
  );
}
