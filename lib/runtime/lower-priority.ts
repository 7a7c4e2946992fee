import { readFileSync, readlinkSync } from "node:fs";
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

/**
 * Lowers the priority of the Postgres process `pid`, which serves the connection from our port
 * `clientPort`: its title names that port. Nothing changes where Postgres runs on another machine,
 * behind a pooler or as another user.
 */
export function lowerBackendPriority(pid: number, clientPort: number): void {
  try {
    const title = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    if (title.startsWith("postgres: ") && title.includes(`(${clientPort})`))
      setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {}
}
