"use client";

import { File, FileSpreadsheet, Image, type LucideIcon, Mail, Trash2, Upload } from "lucide-react";
import { downloadFromApi } from "#components/api-client.ts";
import { useExport } from "#components/kit/export.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ActorName } from "#components/people/actor-name.tsx";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { classes } from "#components/ui/classes.ts";
import { formatBytes } from "#components/ui/format-bytes.ts";
import { type Evidence, getEvidenceContentContract } from "#lib/evidence/contract.ts";

/**
 * A file with the person who added it. `onReplace` and `onRemove` are omitted if that isn't
 * possible.
 */
export function EvidenceFile({
  file: { id, file_name, media_type, bytes, sha256, superseded_by, is_signed, ...added },
  onReplace,
  onRemove,
}: {
  file: Evidence;
  onReplace?: ((file: globalThis.File) => void) | undefined;
  onRemove?: (() => void) | undefined;
}) {
  const tenant = useTenantId();
  const download = useExport({ failed: "Couldn't download the file" });
  const Icon = iconOf(media_type);
  return (
    <li className="flex items-start gap-2.5 border-b border-line py-2 last:border-0">
      <Icon aria-hidden className="mt-1 size-4 shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <button
          type="button"
          title={`SHA-256 ${sha256}`}
          disabled={download.isPending}
          onClick={() =>
            download.start({
              name: file_name,
              load: () => downloadFromApi(getEvidenceContentContract, { tenant, params: { id } }),
            })
          }
          className={classes(
            "max-w-full py-0.5 text-left font-medium",
            "wrap-anywhere text-accent-text hover:underline",
            superseded_by && "line-through",
          )}
        >
          <span className="sr-only">Download </span>
          {file_name}
        </button>
        <p className="text-muted">
          {formatBytes(bytes)} · <ActorName iso={added.created_at} actor={added.created_by} />
          {superseded_by && " · Replaced by a newer file"}
          {is_signed && " · On a signed statement"}
        </p>
        <p className="hidden text-muted wrap-anywhere print:block">SHA-256 {sha256}</p>
      </div>
      {onReplace && (
        <label
          className={classes(
            buttonClass({ size: "sm" }),
            "print:hidden cursor-pointer has-focus-visible:outline-2",
            "has-focus-visible:outline-offset-2 has-focus-visible:outline-focus",
          )}
        >
          <Upload aria-hidden className="size-4 text-muted" />
          Replace<span className="sr-only"> {file_name}</span>
          <input
            type="file"
            className="sr-only"
            onChange={({ target }) => {
              if (target.files?.[0]) onReplace(target.files[0]);
              target.value = "";
            }}
          />
        </label>
      )}
      {onRemove && (
        <Button
          variant="ghost"
          size="icon"
          className="print:hidden"
          aria-label={`Remove ${file_name}`}
          onClick={onRemove}
        >
          <Trash2 aria-hidden className="size-4" />
        </Button>
      )}
    </li>
  );
}

function iconOf(type: Evidence["media_type"]): LucideIcon {
  if (type.startsWith("image/")) return Image;
  if (type === "message/rfc822") return Mail;
  return type === "text/csv" || type.includes("spreadsheet") ? FileSpreadsheet : File;
}
