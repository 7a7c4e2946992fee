import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requireDiskSpace } from "./disk-space.ts";

const refusal = expect.objectContaining({
  code: "unavailable",
  message: expect.stringContaining("Nothing was stored."),
});

test("refuses a file if the disk has less than ten times its size", async () => {
  const { bavail, bsize } = await statfs(tmpdir());
  await expect(requireDiskSpace((bavail * bsize) / 2, tmpdir())).rejects.toEqual(refusal);
});

const disk = mkdtempSync(join(tmpdir(), "tieout-disk-"));
const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", disk]).status === 0;

test.runIf(isMounted)("a nearly full disk refuses even the smallest upload", async () => {
  await expect(
    requireDiskSpace(1, disk).finally(() => spawnSync("umount", [disk])),
  ).rejects.toEqual(refusal);
  rmdirSync(disk);
});
