type Period = { left_source: string; right_source: string; period_end: string };

/**
 * "statement-Bank-Ledger-2026-11-30": the name of a file about a period, without its ending. It
 * names the pair, without characters that file systems refuse.
 */
export function periodFileName(
  kind: string,
  { left_source, right_source, period_end }: Period,
): string {
  return [kind, safe(left_source), safe(right_source), period_end].join("-");
}

const PART_MAX = 60;

function safe(name: string): string {
  return [...name.replace(/[\\/:*?"<>|\p{Cc}\s]+/gu, " ").trim()]
    .slice(0, PART_MAX)
    .join("")
    .trim();
}
