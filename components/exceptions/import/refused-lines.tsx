"use client";

import { Download } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { saveFile } from "#components/ui/save-file.ts";
import { reasonsFile, recordsFile } from "./refused-files.ts";
import type { RefusedLine } from "./run-import.ts";
import type { Chosen } from "./use-import.ts";

const LISTED_MAX = 100;

/** The rejected rows and their reasons, to read and to download. */
export function RefusedLines({ refused, chosen: { file, format } }: { refused: readonly RefusedLine[]; chosen: Chosen }) {
  if (refused.length === 0) return null;
  const base = file.name.replace(/\.\w+$/, "");
  return (
    <section aria-labelledby="refused" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="refused" className="font-semibold">
          Rejected rows
        </h2>
        <div className="flex flex-wrap gap-2">
          <Button size="sm" onClick={() => saveFile(reasonsFile(refused), `${base}-rejected-reasons.csv`)}>
            <Download aria-hidden className="size-4 text-muted" />
            Reasons
          </Button>
          <Button size="sm" onClick={async () => saveFile(await recordsFile(refused, format, file), `${base}-rejected.${format}`)}>
            <Download aria-hidden className="size-4 text-muted" />
            Rows to fix
          </Button>
        </div>
      </div>
      <p className="text-sm text-pretty text-muted">
        Fix only the rejected rows and upload that file. An edited copy of the whole file would import its other rows again.
      </p>
      <div className="rounded-lg border border-line bg-raised">
        <table className="w-full text-sm">
          <thead className="text-left text-xs text-muted">
            <tr className="border-b border-line">
              <th scope="col" className="px-4 py-2 text-right font-medium">
                Line
              </th>
              <th scope="col" className="w-24 px-2 py-2 font-medium">
                Field
              </th>
              <th scope="col" className="px-4 py-2 font-medium">
                Reason
              </th>
            </tr>
          </thead>
          <tbody>
            {refused.slice(0, LISTED_MAX).map(({ line, path, message }) => (
              <tr key={`${line} ${path}`} className="border-b border-line align-top last:border-b-0">
                <th scope="row" className="px-4 py-2 text-right font-normal tabular-nums">
                  {line.toLocaleString("en")}
                </th>
                <td className="px-2 py-2 font-mono text-xs leading-5 wrap-anywhere">{path || "–"}</td>
                <td className="px-4 py-2 wrap-anywhere">{message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {refused.length > LISTED_MAX && (
        <p className="text-sm text-muted">and {(refused.length - LISTED_MAX).toLocaleString("en")} more in the downloaded files.</p>
      )}
    </section>
  );
}
