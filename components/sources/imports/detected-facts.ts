import { formatBytes } from "#components/ui/format-bytes.ts";
import type { ImportPreview } from "#lib/imports/contract.ts";
import { ENCODINGS, FORMAT_TRAITS, type Mapping } from "#lib/imports/formats/mapping.ts";
import { DELIMITER_LABELS, ENCODING_LABELS } from "./labels.tsx";

/** The detected format of a file, as facts. */
export function detectedFacts(preview: ImportPreview, mapping: Mapping | null): [string, string][] {
  const { encoding, bytes_read, complete } = preview;
  const { fields } = FORMAT_TRAITS[preview.format];
  const known = ENCODINGS.find((candidate) => candidate === encoding);
  return [
    ["Format", formatName(preview, mapping)],
    ...(mapping?.sheet ? [["Sheet", mapping.sheet]] : []),
    ...(known ? [["Encoding", ENCODING_LABELS[known]]] : []),
    ...(fields === "columns" && mapping?.delimiter && mapping.sheet === undefined
      ? [["Separator", DELIMITER_LABELS[mapping.delimiter]]]
      : []),
    ...(fields === "columns"
      ? [["Header row", mapping?.header_row === false ? "None" : "Yes"]]
      : []),
    ...(fields !== "defined" && mapping?.date_format ? [["Dates", mapping.date_format]] : []),
    ...(complete ? [] : [["Checked", `first ${formatBytes(bytes_read)}`]]),
  ] as [string, string][];
}

function formatName({ format, version }: ImportPreview, mapping: Mapping | null): string {
  if (mapping?.sheet !== undefined) return "Excel";
  const { name } = FORMAT_TRAITS[format];
  return version ? `${name} v${version}` : name;
}
