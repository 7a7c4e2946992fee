import { describe, expect, test } from "vitest";
import type { Import } from "#lib/imports/contract.ts";
import type { Line } from "#lib/lines/contract.ts";
import type { Match } from "#lib/matching/contract.ts";
import { importIn, sendFile } from "../lines/ledgers.ts";
import { Fixture } from "../matching/matching-fixture.ts";
import { casesOf, fileOf, type MatchCheck } from "./cases.ts";

type Counts = { accepted: number; duplicates: number };

class Pair {
  readonly fixture: Fixture;
  readonly check: MatchCheck;
  readonly id: string;

  private constructor(fixture: Fixture, check: MatchCheck, id: string) {
    this.fixture = fixture;
    this.check = check;
    this.id = id;
  }

  static async create(check: MatchCheck, id: string): Promise<Pair> {
    const fixture = await Fixture.create();
    const { currency, period, automatic } = check.into;
    fixture.left = (await fixture.source("Bank", { currency, kind: "bank_statement" })).id;
    fixture.right = (await fixture.source("Ledger", { currency })).id;
    const [period_start, period_end] = period;
    fixture.period = (await fixture.bind({ period_start, period_end })).id;
    const path = `reconciliations/${fixture.period}/rules`;
    const { rules } = await fixture.ok<{ rules: object[] }>("GET", path);
    await fixture.ok("PUT", path, { body: { rules, automatic } });
    return new Pair(fixture, check, id);
  }

  async add(side: "left" | "right", file: string): Promise<Counts | null> {
    const { tenant, admin } = this.fixture;
    const text = fileOf(this.id, file).toString();
    if (!file.endsWith(".ndjson")) {
      const team = { tenant, admin };
      const sent = await sendFile(team, this.fixture[side], text);
      const done = await importIn(team, (sent.json as Import).id, ["done"]);
      return { accepted: done.accepted_count, duplicates: done.duplicate_count };
    }
    const lines = text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .filter(({ external_id }) => !this.check.without?.includes(external_id));
    if (lines.length > 0) await this.fixture.add(side, lines);
    return null;
  }

  /** Line ID → its name in expected.json. */
  async names(side: "left" | "right"): Promise<Map<string, string>> {
    const names = new Map<string, string>();
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: { items: Line[]; next_cursor: string | null } = await this.fixture.ok(
        "GET",
        "lines",
        { query: { source_id: this.fixture[side], limit: "250", ...(cursor && { cursor }) } },
      );
      for (const line of page.items)
        names.set(
          line.id,
          this.check.named_by === "value_date" ? line.value_date : (line.external_id ?? line.id),
        );
      cursor = page.next_cursor;
    }
    return names;
  }
}

function pairsOf(matches: Match[], left: Map<string, string>, right: Map<string, string>) {
  return matches.flatMap(({ members }) => {
    const on = (names: Map<string, string>) =>
      members.flatMap(({ line_id }) => names.get(line_id) ?? []);
    return on(left).flatMap((value) => on(right).map((other) => `${value}+${other}`));
  });
}

const keys = (pairs: [string, string][] = []) => pairs.map((pair) => pair.join("+"));

describe.each(casesOf<MatchCheck>("match"))("$id: $title", ({ id, checks }) => {
  test.each(checks.map((check, at) => [check.name ?? `check ${at}`, check] as const))(
    "%s",
    async (_, check) => {
      const pair = await Pair.create(check, id);
      const { fixture } = pair;
      if (check.history) {
        await pair.add("left", check.history[0]);
        await pair.add("right", check.history[1]);
        await fixture.run();
        for (let open = await fixture.matches({ state: "suggested" }); open.length > 0; ) {
          await fixture.ok("POST", "matches/bulk", {
            body: { action: "confirm", ids: open.map((match) => match.id) },
          });
          open = await fixture.matches({ state: "suggested" });
        }
      }
      const counts = [];
      for (const file of check.left) counts.push(await pair.add("left", file));
      for (const file of check.right) counts.push(await pair.add("right", file));
      if (check.imports) expect(counts).toEqual(check.imports);
      await fixture.run();
      const [left, right] = [await pair.names("left"), await pair.names("right")];
      const confirmed = pairsOf(await fixture.matches({ state: "confirmed" }), left, right);
      const suggested = pairsOf(await fixture.matches({ state: "suggested" }), left, right);
      for (const key of keys(check.never_confirmed)) expect(confirmed).not.toContain(key);
      for (const key of keys(check.pairs)) expect([...confirmed, ...suggested]).toContain(key);
      for (const key of keys(check.suggested)) expect([...confirmed, ...suggested]).toContain(key);
      for (const key of keys(check.confirmed)) expect(confirmed).toContain(key);
      for (const name of check.open ?? [])
        expect(confirmed.filter((key) => key.split("+").includes(name))).toEqual([]);
    },
  );
});
