import { Plus, SearchX, Trash2 } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import type { Surface } from "#lib/records/surfaces/surface.ts";
import { surfaceIcon } from "./surface-icon.ts";

export function RecordsEmpty({ surface, onCreate }: { surface: Surface; onCreate?: () => void }) {
  return (
    <Notice
      icon={surfaceIcon(surface.path)}
      title={`No ${surface.title.toLowerCase()} yet`}
      action={
        onCreate && (
          <Button variant="primary" onClick={onCreate}>
            <Plus aria-hidden className="size-4" />
            New {surface.noun}
          </Button>
        )
      }
    >
      {surface.description} {!onCreate && "An admin or a lead can create the first."}
    </Notice>
  );
}

export function NoRecordMatches({ onClear }: { onClear: () => void }) {
  return (
    <Notice icon={SearchX} title="Nothing matches" action={<Button onClick={onClear}>Clear the search</Button>}>
      Each word of the search has to begin a word of the record.
    </Notice>
  );
}

export function BinEmpty() {
  return (
    <Notice icon={Trash2} title="The bin is empty">
      What is deleted stays here for 30 days and can be restored.
    </Notice>
  );
}
