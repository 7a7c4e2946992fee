import { Client } from "pg";
import { expect, test } from "vitest";
import { superuserUrl } from "#e2e/fixtures.ts";
import { Fixture, line } from "./matching-fixture.ts";

const LINES = 20;

test("the last day of grace is computed once per side, for any number of open lines", async () => {
  const fixture = await Fixture.create();
  const { id } = await fixture.bind({ period_start: "2020-01-01", period_end: "2020-01-31" });
  for (const side of ["left", "right"] as const)
    await fixture.add(
      side,
      Array.from({ length: LINES }, (_, n) =>
        line(`${side}-${n}`, 1000 + n, { value_date: "2020-01-12" }),
      ),
    );
  const database = new Client(superuserUrl());
  await database.connect();
  try {
    await database.query("set track_functions = 'all'");
    await database.query("begin");
    const { rows: found } = await database.query(
      "select jsonb_array_length(lines) as lines from private.lines_past_grace($1, $2, 100)",
      [fixture.tenant, id],
    );
    expect(found).toEqual([{ lines: 2 * LINES }]);
    const { rows } = await database.query(
      "select calls::integer from pg_stat_xact_user_functions where funcname = 'last_day_of_grace'",
    );
    expect(rows).toEqual([{ calls: 2 }]);
  } finally {
    await database.end();
  }
});
