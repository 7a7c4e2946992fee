import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, expect, test } from "vitest";
import { diskChecks } from "./disk.ts";
import type { Project } from "./project.ts";
import { type Finding, runChecks } from "./run-checks.ts";

let answer: { status: number; text: string };
const server = createServer(({ url, headers }, response) => {
  const expected = `Basic ${Buffer.from("service_role:sb_secret_1").toString("base64")}`;
  const isAsked = url === "/customer/v1/privileged/metrics" && headers.authorization === expected;
  response.writeHead(isAsked ? answer.status : 401).end(answer.text);
});
beforeAll(() => new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening)));
afterAll(() => new Promise((closed) => server.close(closed)));

async function found(disk: string): Promise<Finding | undefined> {
  const project = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secretKey: "sb_secret_1",
    disk,
  } as Project;
  for await (const finding of runChecks(project, diskChecks)) return finding;
}

const gauges = (
  mount: string,
  size: number,
  free: number,
) => `node_filesystem_size_bytes{service_type="db",mountpoint="${mount}"} ${size}
node_filesystem_avail_bytes{service_type="db",fstype="ext4",mountpoint="${mount}"} ${free}
`;

test("checks the disk of a hosted project's database", async () => {
  answer = {
    status: 200,
    text: gauges("/", 10e9, 0.1e9) + gauges("/data", 8 * 1024 ** 3, 6.442450944e9),
  };
  expect(await found("")).toEqual({ check: "Disk", verdict: "ok", found: "6.0 of 8.0 GiB free" });
});

test("reports less than a tenth of free space as a problem", async () => {
  answer = { status: 200, text: gauges("/data", 8 * 1024 ** 3, 5e8) };
  expect(await found("")).toMatchObject({
    verdict: "problem",
    found: "0.5 of 8.0 GiB free",
    advice: expect.stringContaining("larger disk"),
  });
});

test("reports an unknown disk for a project without metrics", async () => {
  answer = { status: 404, text: "not found" };
  expect(await found("")).toMatchObject({ verdict: "unknown" });
});

test("checks a disk of this machine directly", async () => {
  expect((await found(tmpdir()))?.found).toMatch(/^[\d.]+ of [\d.]+ GiB free$/);
});
