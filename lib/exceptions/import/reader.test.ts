import { expect, test } from "vitest";
import { WHOLE } from "#e2e/gate.ts";
import { readBatches } from "./reader.ts";

const MIB = 1024 * 1024;

/** A file of `size` bytes, in chunks as a socket delivers them. */
function fileOf(text: string, size = text.length, onCancel = () => {}): ReadableStream<Uint8Array> {
  const part = new TextEncoder().encode(
    text.length < 65_536 ? text.repeat(Math.ceil(65_536 / text.length)) : text,
  );
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      if (sent >= size) return controller.close();
      controller.enqueue(part.subarray(0, Math.min(part.length, size - sent)));
      sent += part.length;
    },
    cancel: onCancel,
  });
}

const whole = (text: string) => new Blob([text]).stream() as ReadableStream<Uint8Array>;

async function count(batches: AsyncIterable<{ rows: unknown[]; refused: unknown[] }>) {
  const counts = { rows: 0, refused: 0, max: 0 };
  for await (const { rows, refused } of batches) {
    counts.rows += rows.length;
    counts.refused += refused.length;
    counts.max = Math.max(counts.max, JSON.stringify(rows).length);
  }
  return counts;
}

test("rows are read in batches of a thousand, each with a digest", async () => {
  const file = Array.from(
    { length: 2500 },
    (_, nth) => `{"title":"T${nth}","severity":"low"}`,
  ).join("\n");
  const read = async () => {
    const batches: [rows: number, digest: string][] = [];
    for await (const { rows, digest } of readBatches("application/x-ndjson", whole(file)))
      batches.push([rows.length, digest]);
    return batches;
  };
  const first = await read();
  expect(first.map(([rows]) => rows)).toEqual([1000, 1000, 500]);
  expect(new Set(first.map(([, digest]) => digest)).size).toBe(3);
  expect(await read()).toEqual(first);
});

test("a batch of long rows has about 1 MiB", async () => {
  const row = JSON.stringify({
    title: "T",
    severity: "low",
    details: { text: "x".repeat(15_000) },
  });
  const { rows, max } = await count(
    readBatches("application/x-ndjson", whole(`${row}\n`.repeat(300))),
  );
  expect(rows).toBe(300);
  expect(max).toBeLessThan(1.2 * MIB);
});

test("concurrent files are read side by side, and a failure affects only its file", async () => {
  const sound = () =>
    count(readBatches("text/csv", whole(`title,severity\n${"A,low\n".repeat(5000)}`)));
  const [item, failed, other] = await Promise.allSettled([
    sound(),
    count(readBatches("text/csv", whole("titel\nA\n"))),
    sound(),
  ]);
  expect(
    [item, other].map((result) => result?.status === "fulfilled" && result.value.rows),
  ).toEqual([5000, 5000]);
  expect(failed).toMatchObject({
    reason: { code: "invalid_request", errors: [{ path: "titel" }] },
  });
});

test("a file whose reader stops early is released, and the next one is read", async () => {
  for await (const { rows } of readBatches(
    "text/csv",
    fileOf("title,severity\nA,low\n", 20 * MIB),
  )) {
    expect(rows.length).toBeGreaterThan(0);
    break;
  }
  expect((await count(readBatches("text/csv", whole("title,severity\nA,low\n")))).rows).toBe(1);
});

test.runIf(WHOLE).each([
  [
    "valid rows",
    "application/x-ndjson",
    '{"title":"Payout","severity":"low","details":{"a":[1,2,3]}}\n',
  ],
  ["wrong rows", "application/x-ndjson", '{"titel":"Payout","severity":"low","a":1,"b":2,"c":3}\n'],
])(
  "reading 100,000 %s doesn't block the event loop",
  async (_what, type, line) => {
    const [before, own] = [process.cpuUsage(), process.threadCpuUsage()];
    await count(readBatches(type, fileOf(line, 7 * MIB)));
    const [all, here] = [process.cpuUsage(before), process.threadCpuUsage(own)];
    const share = (here.user + here.system) / (all.user + all.system);
    expect(share).toBeLessThan(0.5);
  },
  60_000,
);
