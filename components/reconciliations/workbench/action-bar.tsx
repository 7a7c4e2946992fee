import { Button } from "#components/ui/button.tsx";
import { Keys } from "#components/ui/keys.tsx";
import { DifferenceBar } from "./difference-bar.tsx";
import type { Sum } from "./options.ts";

type ActionName = "accept" | "reject" | "split" | "writeOff" | "exclude" | "undo";

/** The selection's difference, and the actions on it with their keys. */
export function ActionBar({
  can,
  onAccept,
  onReject,
  onSplit,
  onWriteOff,
  onExclude,
  onUndo,
  ...selection
}: {
  sums: readonly Sum[];
  fees: number;
  count: number;
  can: Record<ActionName, boolean>;
  onAccept: () => void;
  onReject: () => void;
  onSplit: () => void;
  onWriteOff: () => void;
  onExclude: () => void;
  onUndo: () => void;
}) {
  return (
    <div className="pinned sticky bottom-0 z-10 -mx-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-t border-line bg-surface px-4 py-2.5 sm:-mx-6 sm:px-6">
      <DifferenceBar {...selection} />
      <fieldset className="flex flex-wrap gap-1.5 max-sm:grid max-sm:w-full max-sm:grid-cols-3">
        <legend className="sr-only">Decide</legend>
        <Action name="Match" keys="↵" primary can={can.accept} onClick={onAccept} />
        <Action name="Reject" keys="R" can={can.reject} onClick={onReject} />
        <Action name="Split" keys="S" can={can.split} onClick={onSplit} />
        <Action name="Write off" keys="W" can={can.writeOff} onClick={onWriteOff} />
        <Action name="Exclude" keys="E" can={can.exclude} onClick={onExclude} />
        <Action name="Undo" keys="U" can={can.undo} onClick={onUndo} />
      </fieldset>
    </div>
  );
}

function Action({
  name,
  keys,
  primary = false,
  can,
  onClick,
}: {
  name: string;
  keys: string;
  primary?: boolean;
  can: boolean;
  onClick: () => void;
}) {
  return (
    <Button size="sm" variant={primary ? "primary" : "secondary"} disabled={!can} onClick={onClick}>
      {name}
      <span className="max-md:hidden">
        <Keys keys={[keys]} />
      </span>
    </Button>
  );
}
