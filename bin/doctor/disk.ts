import { statfs } from "node:fs/promises";
import type { Project } from "./project.ts";
import { type Check, ok, problem, unknown } from "./run-checks.ts";

const TIMEOUT_MS = 10_000;
const MIN_FREE_SHARE = 0.1;
const GIB = 1024 ** 3;

export const diskChecks: readonly Check[] = [{ name: "Disk", run: checkDisk }];

/** Free space and size of a disk, in bytes. */
type DiskSpace = { free: number; size: number };

/**
 * Checks DATABASE_DISK if the database is on this machine, else the metrics of a hosted project.
 */
async function checkDisk(project: Project) {
  const space = project.disk ? await freeSpaceOf(project.disk) : await freeSpaceOfHosted(project);
  if (!space)
    return unknown(
      "unknown here: DATABASE_DISK isn't set, and the project has no metrics. Monitor its disk " +
        "separately",
    );
  const share = space.free / space.size;
  const found = `${(space.free / GIB).toFixed(1)} of ${(space.size / GIB).toFixed(1)} GiB free`;
  if (share >= MIN_FREE_SHARE) return ok(found);
  return problem(
    found,
    "A full disk makes the database read-only. Give the project a larger disk; " +
      "docs/runbooks/disk-full.md shows how to find the largest tables.",
  );
}

async function freeSpaceOf(path: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(path);
  return { free: bavail * bsize, size: blocks * bsize };
}

/**
 * Reads Supabase's Metrics API, which only hosted projects have:
 * supabase.com/docs/guides/monitoring-and-debugging/metrics.
 */
async function freeSpaceOfHosted({ url, secretKey }: Project): Promise<DiskSpace | null> {
  const response = await fetch(`${url}/customer/v1/privileged/metrics`, {
    headers: {
      Authorization: `Basic ${Buffer.from(`service_role:${secretKey}`).toString("base64")}`,
    },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = response.ok ? await response.text() : "";
  const sizes = metricByMount(text, "node_filesystem_size_bytes");
  const free = metricByMount(text, "node_filesystem_avail_bytes");
  // The database has its own disk at /data. Without that mount, the largest is used.
  const [largest] = [...sizes].sort(([, one], [, other]) => other - one);
  const mount = sizes.has("/data") ? "/data" : largest?.[0];
  const [size, available] = [sizes.get(mount ?? ""), free.get(mount ?? "")];
  return size && available !== undefined ? { free: available, size } : null;
}

/** A metric in Prometheus's text format, by mount point. */
function metricByMount(text: string, metric: string): Map<string, number> {
  const lines = text.matchAll(
    new RegExp(`^${metric}\\{.*?mountpoint="([^"]+)".*?\\} (\\S+)`, "gm"),
  );
  return new Map([...lines].map(([, mount = "", value]) => [mount, Number(value)]));
}
