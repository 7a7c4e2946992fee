"use client";

import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { CheckField } from "#components/ui/check-field.tsx";
import { Dialog, DialogBody } from "#components/ui/dialog.tsx";
import { Keys } from "#components/ui/keys.tsx";
import { type SurfaceLink, sectionsOf } from "../sections.ts";

type Shortcut = { label: string; keys: readonly string[] };

const ANYWHERE: readonly Shortcut[] = [
  { label: "Search or jump to", keys: ["⌘K"] },
  { label: "Search on this page", keys: ["/"] },
  { label: "Keyboard shortcuts", keys: ["?"] },
  { label: "Close", keys: ["Esc"] },
];

const IN_A_LIST: readonly Shortcut[] = [
  { label: "Move between rows", keys: ["↑", "↓"] },
  { label: "Open", keys: ["Enter"] },
  { label: "Next or previous row", keys: ["j", "k"] },
];

const ON_AN_EXCEPTION: readonly Shortcut[] = [
  { label: "Resolve or reopen", keys: ["r"] },
  { label: "Assign", keys: ["a"] },
  { label: "Assign to me", keys: ["m"] },
  { label: "Comment", keys: ["c"] },
  { label: "Pause or resume", keys: ["p"] },
  { label: "Confirm or reject the suggested match", keys: ["y", "n"] },
  { label: "Undo", keys: ["u"] },
  { label: "Select; A, M, R and P then act on all selected", keys: ["x"] },
  { label: "Select a range", keys: ["⇧", "x"] },
];

const ON_A_DELIVERY: readonly Shortcut[] = [{ label: "Resend or retry now", keys: ["r"] }];

const IN_THE_WORKBENCH: readonly Shortcut[] = [
  { label: "Move between lines", keys: ["↑", "↓"] },
  { label: "Left or right side", keys: ["←", "→"] },
  { label: "Choose a suggestion", keys: ["1", "5"] },
  { label: "Match or confirm", keys: ["Enter"] },
  { label: "Reject the suggestion", keys: ["r"] },
  { label: "Select a line", keys: ["x"] },
  { label: "Split: leave the difference open", keys: ["s"] },
  { label: "Write off the difference", keys: ["w"] },
  { label: "Accept in bulk", keys: ["b"] },
  { label: "Exclude the line", keys: ["e"] },
  { label: "Undo your last decision", keys: ["u"] },
];

export function ShortcutsDialog({
  surfaces,
  onClose,
}: {
  surfaces: readonly SurfaceLink[];
  onClose: () => void;
}) {
  const { singleKeys, setSingleKeys } = usePreferences();
  const pages = sectionsOf(surfaces).flatMap(({ name, letter }) =>
    letter ? [{ label: name, keys: ["g", letter] }] : [],
  );
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <DialogBody>
        <div className="border-b border-line pb-3">
          <CheckField
            label="Single-key shortcuts"
            checked={singleKeys}
            onChange={({ target }) => setSingleKeys(target.checked)}
            aria-describedby="single-keys-hint"
          />
          <p id="single-keys-hint" className="text-sm text-muted">
            When off, only shortcuts with {navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl"}{" "}
            work. Helpful with speech input. Single-key shortcuts never work while you type in a
            field.
          </p>
        </div>
        <div className="grid gap-x-10 gap-y-5 sm:grid-cols-2">
          <div className="flex flex-col gap-5">
            <Shortcuts title="Anywhere" shortcuts={ANYWHERE} off={!singleKeys} />
            <Shortcuts title="In a list" shortcuts={IN_A_LIST} off={!singleKeys} />
            <Shortcuts title="Go to" shortcuts={pages} off={!singleKeys} />
          </div>
          <div className="flex flex-col gap-5">
            <Shortcuts title="On an exception" shortcuts={ON_AN_EXCEPTION} off={!singleKeys} />
            <Shortcuts title="On a delivery" shortcuts={ON_A_DELIVERY} off={!singleKeys} />
            <Shortcuts title="In the workbench" shortcuts={IN_THE_WORKBENCH} off={!singleKeys} />
          </div>
        </div>
      </DialogBody>
    </Dialog>
  );
}

function Shortcuts({
  title,
  shortcuts,
  off,
}: {
  title: string;
  shortcuts: readonly Shortcut[];
  off: boolean;
}) {
  return (
    <section>
      <h3 className="pb-1 text-sm font-medium text-muted">{title}</h3>
      <dl className="divide-y divide-line">
        {shortcuts.map(({ label, keys }) => (
          <div key={label} className="flex min-h-9 items-center justify-between gap-4">
            <dt className={off && isSingle(keys) ? "text-muted line-through" : undefined}>
              {label}
            </dt>
            <dd>
              <span className="sr-only">
                {keys.join(" then ").replace("⌘", "Control or Command ")}
              </span>
              <Keys keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function isSingle(keys: readonly string[]): boolean {
  return !keys.some((key) => key.startsWith("⌘") || /^(?:Esc|Enter|↑|↓)$/.test(key));
}
