import { readlinkSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { basename } from "node:path";

/**
 * Lowers the priority of the calling thread, so that long work leaves the processor to requests.
 * Only Linux has priorities per thread; elsewhere, and without the permission, nothing changes.
 */
export function lowerPriority(): void {
  try {
    setPriority(
      Number(basename(readlinkSync("/proc/thread-self"))),
      constants.priority.PRIORITY_BELOW_NORMAL,
    );
  } catch {}
}
