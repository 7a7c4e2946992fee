"use client";

import { FileText } from "lucide-react";
import { downloadFromApi } from "#components/api-client.ts";
import { useExport } from "#components/kit/export.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Button } from "#components/ui/button.tsx";
import { getStatementPdfContract } from "#lib/matching/statement-pdf/contract.ts";

/** Saves the statement as a PDF. `name`: the file's, without its ending. */
export function PdfButton({ id, name }: { id: string; name: string }) {
  const tenant = useTenantId();
  const { start, isPending } = useExport({ failed: "Couldn't download the PDF" });
  return (
    <Button
      size="sm"
      disabled={isPending}
      onClick={() =>
        start({
          name: `${name}.pdf`,
          load: () => downloadFromApi(getStatementPdfContract, { tenant, params: { id } }),
        })
      }
    >
      <FileText aria-hidden className="size-4 text-muted" />
      {isPending ? "Preparing…" : "PDF"}
    </Button>
  );
}
