"use client";

import { Download } from "lucide-react";
import { RejectedRows } from "#components/kit/rejected-rows.tsx";
import { Button } from "#components/ui/button.tsx";
import { saveFile } from "#components/ui/save-file.ts";
import { reasonsFile, recordsFile } from "./refused-files.ts";
import type { RefusedLine } from "./run-import.ts";
import type { Chosen } from "./use-import.ts";

const LISTED_MAX = 100;

/** The rejected rows and their reasons, to read and to download. */
export function RefusedLines({
  refused,
  chosen: { file, format },
}: {
  refused: readonly RefusedLine[];
  chosen: Chosen;
}) {
  if (refused.length === 0) return null;
  const base = file.name.replace(/\.\w+$/, "");
  return (
    <section aria-labelledby="refused" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="refused" className="font-semibold">
          Rejected rows
        </h2>
        <div className="flex flex-wrap gap-2">
          <Button
            size="sm"
            onClick={() => saveFile(reasonsFile(refused), `${base}-rejected-reasons.csv`)}
          >
            <Download aria-hidden className="size-4 text-muted" />
            Reasons
          </Button>
          <Button
            size="sm"
            onClick={async () =>
              saveFile(await recordsFile(refused, format, file), `${base}-rejected.${format}`)
            }
          >
            <Download aria-hidden className="size-4 text-muted" />
            Rows to fix
          </Button>
        </div>
      </div>
      <p className="text-sm text-pretty text-muted">
        Fix only the rejected rows and upload that file. An edited copy of the whole file would
        import its other rows again.
      </p>
      <RejectedRows
        rows={refused
          .slice(0, LISTED_MAX)
          .map(({ line, path, message }) => ({ line, field: path, message }))}
        more={
          refused.length > LISTED_MAX &&
          `and ${(refused.length - LISTED_MAX).toLocaleString("en")} more in the downloaded files.`
        }
      />
    </section>
  );
}
