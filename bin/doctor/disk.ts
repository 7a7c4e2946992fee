import { statfs } from "node:fs/promises";
import { type Check, ok, problem, unknown } from "./examine.ts";
import type { Project } from "./project.ts";

const TIMEOUT_MS = 10_000;
const FREE_SHARE = 0.1;
const GIB = 1024 ** 3;

export const diskChecks: readonly Check[] = [{ name: "Disk", look: lookAtDisk }];

/** Bytes. */
type Room = { free: number; size: number };

/** By DATABASE_DISK where the database lies on this machine, else by what a hosted project tells of its own disk. */
async function lookAtDisk(project: Project) {
  const room = project.disk ? await roomOf(project.disk) : await roomOfHosted(project);
  if (!room)
    return unknown(
      "can't be seen from here: no DATABASE_DISK, and the project has no metrics. Let its own monitoring watch the disk",
    );
  const share = room.free / room.size;
  const found = `${(room.free / GIB).toFixed(1)} of ${(room.size / GIB).toFixed(1)} GiB free`;
  if (share >= FREE_SHARE) return ok(found);
  return problem(
    found,
    "A full disk makes the database read-only. Give the project a larger disk; docs/runbooks/disk-full.md says what takes room.",
  );
}

async function roomOf(path: string): Promise<Room> {
  const { bavail, blocks, bsize } = await statfs(path);
  return { free: bavail * bsize, size: blocks * bsize };
}

/** Supabase's Metrics API, which only hosted projects have: supabase.com/docs/guides/monitoring-and-debugging/metrics. */
async function roomOfHosted({ url, secretKey }: Project): Promise<Room | null> {
  const response = await fetch(`${url}/customer/v1/privileged/metrics`, {
    headers: {
      Authorization: `Basic ${Buffer.from(`service_role:${secretKey}`).toString("base64")}`,
    },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = response.ok ? await response.text() : "";
  const sizes = ofDisks(text, "node_filesystem_size_bytes");
  const free = ofDisks(text, "node_filesystem_avail_bytes");
  // The database has a disk of its own at /data. Where none is called so, the largest.
  const [largest] = [...sizes].sort(([, one], [, other]) => other - one);
  const mount = sizes.has("/data") ? "/data" : largest?.[0];
  const [size, left] = [sizes.get(mount ?? ""), free.get(mount ?? "")];
  return size && left !== undefined ? { free: left, size } : null;
}

/** A metric in Prometheus' text format, by mount point. */
function ofDisks(text: string, metric: string): Map<string, number> {
  const lines = text.matchAll(
    new RegExp(`^${metric}\\{.*?mountpoint="([^"]+)".*?\\} (\\S+)`, "gm"),
  );
  return new Map([...lines].map(([, mount = "", value]) => [mount, Number(value)]));
}
