"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { exportFromApi } from "#components/api-client.ts";
import { buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuItem } from "#components/ui/menu.tsx";
import { saveFile } from "#components/ui/save-file.ts";
import { toast } from "#components/ui/toast.ts";
import { listSecurityEventsContract } from "#lib/security-events/contract.ts";
import type { ExportFormat } from "#lib/wire/contract.ts";

/** All that the filters leave, as a file; that it was taken is an event itself. */
export function ExportMenu({ tenantId, query }: { tenantId: string; query: Record<string, string> }) {
  const cache = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (format: ExportFormat) => exportFromApi(listSecurityEventsContract, format, { tenant: tenantId, query }),
    onSuccess: (file, format) => {
      saveFile(file, `security-events-${tenantId}.${format}`);
      return cache.invalidateQueries({ queryKey: ["security-events", tenantId, "list"] });
    },
    onError: (error) => toast({ title: "The events were not exported", description: error.message, failed: true }),
  });
  return (
    <Menu
      align="end"
      label="Export these events"
      triggerClass={buttonClass({ size: "sm" })}
      trigger={
        <>
          <Download aria-hidden className="size-4 text-muted" />
          {isPending ? "Exporting…" : "Export"}
        </>
      }
    >
      <p role="presentation" className="px-2 pt-2 pb-1 text-xs font-medium text-muted">
        All that match, as
      </p>
      <MenuItem onClick={() => mutate("csv")}>CSV, for spreadsheets</MenuItem>
      <MenuItem onClick={() => mutate("ndjson")}>NDJSON, for programs</MenuItem>
    </Menu>
  );
}
