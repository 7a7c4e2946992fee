"use client";

import { Radio } from "lucide-react";
import { Button } from "#components/ui/button.tsx";

/** Whether the list follows the newest requests. */
export function LiveButton({
  live,
  onChange,
}: {
  live: boolean;
  onChange: (live: boolean) => void;
}) {
  return (
    <Button
      variant={live ? "selected" : "secondary"}
      aria-pressed={live}
      onClick={() => onChange(!live)}
    >
      <Radio aria-hidden className="size-4" />
      Live
    </Button>
  );
}
