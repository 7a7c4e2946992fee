"use client";

import { SlidersHorizontal } from "lucide-react";
import { DENSITIES, type Density } from "#components/preferences/preferences.ts";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { buttonClass } from "#components/ui/button.tsx";
import {
  Menu,
  MenuCheckItem,
  MenuChecks,
  MenuChoice,
  MenuSeparator,
} from "#components/ui/menu.tsx";
import { toastFailure } from "#components/ui/toast.ts";
import { COLUMN_CHOICES, columnsOf } from "./columns.ts";
import { useNotifications } from "./use-arrivals.ts";

const DENSITY_LABELS: Record<Density, string> = { comfortable: "Comfortable", compact: "Compact" };

/** Settings for how the board looks and notifies in this browser. */
export function BoardDisplay() {
  const { board, setBoard } = usePreferences();
  const notifications = useNotifications();
  return (
    <Menu
      align="end"
      label="Display"
      triggerClass={buttonClass({ size: "sm" })}
      trigger={
        <>
          <SlidersHorizontal aria-hidden className="size-4 text-muted" />
          <span className="max-sm:sr-only">Display</span>
        </>
      }
    >
      <MenuChoice
        label="Density"
        value={board.density}
        options={DENSITIES.map((density) => ({ value: density, label: DENSITY_LABELS[density] }))}
        onChange={(density) => setBoard({ density })}
      />
      <MenuChecks
        label="Columns"
        values={[...columnsOf(board)]}
        options={COLUMN_CHOICES}
        onChange={(columns) => setBoard({ columns })}
      />
      <MenuSeparator />
      <MenuCheckItem
        checked={notifications.isOn}
        onChange={async () => {
          if (await notifications.toggle()) return;
          toastFailure(
            "Notifications are blocked",
            "Allow notifications for this site in your browser's settings, then turn them on here.",
          );
        }}
      >
        Notify me of new exceptions
      </MenuCheckItem>
    </Menu>
  );
}
