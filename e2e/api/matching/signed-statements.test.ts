import { expect, test } from "vitest";
import type { Signature, SignedStatement, Statement } from "#lib/matching/periods/contract.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 300_000;

test(
  "reopening keeps every signed statement with its number, digest, signer and the reason",
  async () => {
    const fixture = await Fixture.create();
    await fixture.add("left", [line("a", 1234)]);
    const path = `reconciliations/${fixture.period}`;
    const signed = async () =>
      (await fixture.ok<{ items: Signature[] }>("GET", `${path}/statements`)).items;
    expect(await signed()).toEqual([]);
    for (const number of ["1", "0", "x", "2147483648"])
      expectProblem(await fixture.call("GET", `${path}/statements/${number}`), "not_found");

    await fixture.ok("POST", `${path}/close`);
    const first = await fixture.ok<Statement>("GET", `${path}/statement`);
    const { digest } = (await fixture.proof()).closing ?? {};
    expect(await signed()).toMatchObject([
      { number: 1, digest, closed_by: "user:ada", reopened_at: null, reason: null },
    ]);
    await fixture.ok("POST", `${path}/reopen`, { body: { reason: "A page was missing" } });
    await fixture.add("right", [line("b", 999)]);
    await fixture.ok("POST", `${path}/close`, {
      bearer: await fixture.as(["tenant_lead"], "lea"),
    });

    const [second, reopened] = await signed();
    expect(second).toMatchObject({ number: 2, closed_by: "user:lea", reopened_at: null });
    expect(second?.digest).not.toBe(digest);
    expect(reopened).toMatchObject({
      number: 1,
      digest,
      closed_by: "user:ada",
      closer_subject: expect.any(String),
      reopened_at: expect.any(String),
      reopened_by: "user:ada",
      reason: "A page was missing",
    });
    const read = await fixture.ok<SignedStatement>("GET", `${path}/statements/1`);
    expect(read).toMatchObject({ number: 1, digest });
    expect(read.statement).toEqual(first);
    const newest = await fixture.ok<{ items: Signature[]; next_cursor: string | null }>(
      "GET",
      `${path}/statements`,
      { query: { limit: "1" } },
    );
    expect(newest.items.map(({ number }) => number)).toEqual([2]);
    expect(newest.next_cursor).toEqual(expect.any(String));
  },
  SLOW,
);

test(
  "the proof shows in advance what a close carries, and whether the period is over",
  async () => {
    const fixture = await Fixture.create();
    expect(await fixture.proof()).toMatchObject({
      suggestions_count: 0,
      open_exceptions: 0,
      days_until_over: 0,
    });
    const end = new Date(Date.now() + 4 * 86_400_000).toISOString().slice(0, 10);
    const start = new Date().toISOString().slice(0, 10);
    const { id } = await fixture.bind({ period_start: start, period_end: end });
    expect((await fixture.proof(id)).days_until_over).toBe(5);
  },
  SLOW,
);
