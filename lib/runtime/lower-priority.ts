import { readlinkSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { basename } from "node:path";

/**
 * Lowers the priority of the calling thread: long work leaves the processor to requests. Linux gives each thread a priority
 * of its own; elsewhere, and where it isn't allowed, everything stays as it is.
 */
export function lowerPriority(): void {
  try {
    setPriority(
      Number(basename(readlinkSync("/proc/thread-self"))),
      constants.priority.PRIORITY_BELOW_NORMAL,
    );
  } catch {}
}
