import { describe, expect, test } from "vitest";
import { databaseWithTwoTenants } from "../../bin/dev/migration/search-database.ts";
import type { PolledState } from "../../lib/request/context.ts";

// How long the tag of a list of open exceptions holds. now() is fixed within a transaction.

const database = databaseWithTwoTenants("alter table public.exceptions disable trigger user");
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** An exception that was last changed an hour ago, due in `due`, an interval. */
const exceptionDue = (due: string) => `
  select private.change_exceptions('create', array[jsonb_build_object('tenant_id', 'acme',
    'title', 'Old', 'severity', 'high', 'created_by', 'user:ada', 'due_at', now() + interval '${due}',
    'updated_at', now() - interval '1 hour')])`;

const pausedFor = (time: string) => `${exceptionDue("5 hours")};
  update public.exceptions set held_due_at = due_at, due_at = 'infinity',
    paused_at = now() - interval '1 hour', paused_until = now() + interval '${time}'`;

/** An exception that has breached, which the worker has not recorded. */
const BREACHED = `${exceptionDue("1 hour")};
  update public.exceptions set due_at = now() - interval '1 second';
  update private.exception_clocks set due_at = now() - interval '1 second',
    next_at = now() - interval '1 second'`;

type Answer = { state?: PolledState; is_known?: true };

function read(input: object, setup: string, known?: PolledState): Promise<Answer> {
  return database.asAdmin<Answer>(
    "public.list_sla_exceptions",
    { limit: 50, sort_by: "due_at", ...input },
    { operation: "listSlaExceptions", ...(known && { known }) },
    setup,
  );
}

describe("a tag holds", () => {
  test.each([
    ["for a minute if nothing happens", {}, exceptionDue("5 hours"), 60],
    ["until an exception breaches", {}, exceptionDue("30 seconds"), 30],
    [
      "until a deadline comes within withinMinutes",
      { within_minutes: 100 },
      exceptionDue("100 minutes 30 seconds"),
      30,
    ],
    ["until a pause ends", {}, pausedFor("30 seconds"), 30],
    ["for a minute while a pause goes on", {}, pausedFor("5 minutes"), 60],
    ["for a minute if an unrecorded breach matters to no filter", {}, BREACHED, 60],
  ])("%s", async (_, input, setup, seconds) => {
    const { state } = await read(input, setup);
    expect(holdsMs(state)).toBe(seconds * 1000);
  });

  test.each([
    ["while the end of a pause is not recorded", {}, pausedFor("-5 seconds")],
    [
      "while a breach that matters to a filter is not recorded",
      { breached_from: new Date(Date.now() - HOUR_MS).toISOString() },
      BREACHED,
    ],
  ])("for no time %s", async (_, input, setup) => {
    const { state } = await read(input, setup);
    expect(holdsMs(state)).toBeLessThanOrEqual(0);
  });
});

test("a tag from before the database's clock was set back does not hold", async () => {
  const { state } = await read({}, exceptionDue("5 hours"));
  const moved = (ms: number) => new Date(Date.now() + ms).toISOString();
  const known = (ms: number) => ({
    changed_at: moved(-HOUR_MS),
    as_of: moved(ms),
    until: moved(ms + MINUTE_MS),
  });
  expect(state).toBeDefined();
  const answer = (ms: number) => {
    const tag = known(ms);
    return read(
      {},
      `${exceptionDue("5 hours")};
      update public.exceptions set updated_at = '${tag.changed_at}'`,
      tag,
    );
  };
  expect((await answer(-1000)).is_known).toBe(true);
  expect((await answer(HOUR_MS)).is_known).toBeUndefined();
});

function holdsMs(state: PolledState | undefined): number {
  return Date.parse(state?.until ?? "") - Date.parse(state?.as_of ?? "");
}
