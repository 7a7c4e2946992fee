import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { stackEnvironment } from "../../../supervisor/stack-file.ts";
import { Fixture, line, month, type NewLine } from "./matching-fixture.ts";

const SLOW = 300_000;

/** A period's matches in terms of external IDs, which are the same in every tenant. */
async function outcome({ tenant, period }: Fixture): Promise<string[]> {
  const rows = await sql<{ result: string }>(
    `select concat_ws(' ', m.state, m.method, m.shape, m.residual_minor, m.adjustments,
       string_agg(l.external_id || '=' || mm.allocated_minor, ',' order by l.external_id)) as result
     from matches m join match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
     join lines l on l.tenant_id = mm.tenant_id and l.line_no = mm.line_no
     where m.tenant_id = $1 and m.reconciliation_id = $2 and m.state in ('confirmed', 'suggested')
     group by m.tenant_id, m.id order by result`,
    [tenant, period],
  );
  return rows.map(({ result }) => result);
}

/**
 * A month with additional lines for which two counterparts compete, one of them by its amount net
 * of the fee. The result must not depend on the order of arrival.
 */
function competingLines(): { left: NewLine[]; right: NewLine[] } {
  const { left, right } = month(50);
  for (let n = 0; n < 5; n++) {
    const amount = 123_400 + n * 1111;
    for (const name of ["North", "South"])
      left.push(line(`${name}${n}`, amount, { counterparty: `${name} ${n}` }));
    right.push(line(`either${n}`, amount, { value_date: "2026-10-13" }));
    left.push(line(`net${n}`, amount - 10_290));
    right.push(line(`sale${n}`, amount - 10_000, { counterparty: `Card ${n}`, fee_minor: 290 }));
    right.push(line(`same${n}`, amount - 10_290, { counterparty: `Till ${n}` }));
  }
  return { left, right };
}

type Arrival = { side: "left" | "right"; lines: NewLine[] };

/**
 * Adds the arrivals in order, with a run after each whose index `runs` accepts, and one at the end.
 */
async function matchInOrder(
  arrivals: readonly Arrival[],
  runs: (at: number) => boolean,
): Promise<{ result: string[]; fixture: Fixture }> {
  const fixture = await Fixture.create();
  for (const [at, { side, lines }] of arrivals.entries()) {
    await fixture.add(side, lines);
    if (runs(at)) await fixture.run();
  }
  await fixture.run();
  return { result: await outcome(fixture), fixture };
}

function shuffledLines(seed: number): { side: Arrival["side"]; one: NewLine }[] {
  const { left, right } = competingLines();
  const all = [
    ...left.map((item) => ({ side: "left" as const, one: item })),
    ...right.map((item) => ({ side: "right" as const, one: item })),
  ];
  return (
    fc.sample(fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }), {
      seed,
      numRuns: 1,
    })[0] ?? all
  );
}

/** Three arrivals of each side, alternating. */
function inSixArrivals(seed: number): Arrival[] {
  const order = shuffledLines(seed);
  const third = Math.ceil(order.length / 3);
  return [0, 1, 2].flatMap((nth) =>
    (["left", "right"] as const).map((side) => ({
      side,
      lines: order
        .slice(nth * third, (nth + 1) * third)
        .flatMap((each) => (each.side === side ? [each.one] : [])),
    })),
  );
}

/** Starts a matcher in addition to the stack's own. */
async function startMatcher(): Promise<ChildProcess> {
  const { METRICS_PORT: _, ...env } = stackEnvironment();
  const matcher = spawn(
    process.execPath,
    [join(import.meta.dirname, "../../../worker/matcher/main.ts")],
    {
      env: env as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const died = once(matcher, "exit").then(([code]) =>
    Promise.reject(new Error(`The matcher ended with ${code}.`)),
  );
  const started = new Promise<void>((start) => {
    matcher.stdout.on("data", (text) => String(text).includes('"working"') && start());
  });
  await Promise.race([died, started]);
  died.catch(() => {});
  return matcher;
}

function inSmallArrivals(seed: number): Arrival[] {
  const arrivals: Arrival[] = [];
  for (const { side, one } of shuffledLines(seed)) {
    const last = arrivals.at(-1);
    if (last?.side === side && last.lines.length < 9) last.lines.push(one);
    else arrivals.push({ side, lines: [one] });
  }
  return arrivals;
}

const atOnce = async () => {
  const { left, right } = competingLines();
  const { result } = await matchInOrder(
    [
      { side: "left", lines: left },
      { side: "right", lines: right },
    ],
    () => false,
  );
  expect(result.length).toBeGreaterThan(20);
  return result;
};

test(
  "the same lines give the same matches in twenty orders, with one, two or three matchers",
  async () => {
    const expected = await atOnce();
    const more: ChildProcess[] = [];
    try {
      for (const seeds of [
        [11, 12, 13, 14, 15, 16, 17],
        [21, 22, 23, 24, 25, 26, 27],
        [31, 32, 33, 34, 35, 36],
      ]) {
        if (seeds[0] !== 11) more.push(await startMatcher());
        const outcomes = await Promise.all(
          seeds.map((seed) => matchInOrder(inSixArrivals(seed), () => false)),
        );
        for (const { result } of outcomes) expect(result).toEqual(expected);
      }
    } finally {
      const ended = more.map((matcher) => once(matcher, "exit"));
      for (const matcher of more) matcher.kill("SIGTERM");
      await Promise.all(ended);
    }
  },
  SLOW,
);

test(
  "the same lines give the same matches in several runs as in one",
  async () => {
    const expected = await atOnce();
    for (const seed of [4, 5])
      expect((await matchInOrder(inSmallArrivals(seed), (at) => at % 17 === 5)).result).toEqual(
        expected,
      );
  },
  SLOW,
);

test(
  "the digest covers the whole period, and equals that of a full run",
  async () => {
    const { fixture } = await matchInOrder(inSmallArrivals(6), (at) => at % 23 === 7);
    const { digest } = await fixture.run();
    // A new version of the same rules makes the next run a full one.
    const { rules } = await fixture.ok<{ rules: object[] }>(
      "GET",
      `reconciliations/${fixture.period}/rules`,
    );
    await fixture.ok("PUT", `reconciliations/${fixture.period}/rules`, { body: { rules } });
    const whole = await fixture.run();
    expect(whole).toMatchObject({ digest, changed: { added: 0, undone: 0 } });
  },
  SLOW,
);
