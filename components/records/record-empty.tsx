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
      {surface.description} {!onCreate && "An admin or a lead can create the first one."}
    </Notice>
  );
}

export function NoRecordMatches({ onClear }: { onClear: () => void }) {
  return (
    <Notice
      icon={SearchX}
      title="No results"
      action={<Button onClick={onClear}>Clear search</Button>}
    >
      Search matches the beginning of words in a record.
    </Notice>
  );
}

export function BinEmpty() {
  return (
    <Notice icon={Trash2} title="The bin is empty">
      Deleted items stay here for 30 days and can be restored.
    </Notice>
  );
}
