import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { mailContent } from "./mail-content.ts";
import { MailRefusal } from "./verified-mail.ts";

const BOUNDS = { maxBytes: 10, timeoutMs: 60_000 };

test("accepts a mail up to the limit, and reads a larger one to its end but refuses it", async () => {
  const [small, large] = [new PassThrough(), new PassThrough()];
  const read = Promise.allSettled([mailContent(small, BOUNDS), mailContent(large, BOUNDS)]);
  small.write("12345");
  small.end("67890");
  large.write("1234567890");
  large.end("1");
  expect(await read).toEqual([
    { status: "fulfilled", value: Buffer.from("1234567890") },
    { status: "rejected", reason: expect.any(MailRefusal) },
  ]);
  expect(large.readableEnded).toBe(true);
});

test("gives up on a mail that never ends, and drops further data", async () => {
  const stream = new PassThrough();
  stream.write("12345");
  await expect(mailContent(stream, { ...BOUNDS, timeoutMs: 1 })).rejects.toThrow(/too long/);
  expect(stream.readableFlowing).toBe(true);
});
