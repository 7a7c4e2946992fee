import { expect, test } from "vitest";
import { linesOf } from "../lines/ledgers.ts";
import { Fixture, line } from "./matching-fixture.ts";

test("lines of a source in two pairs are listed once, by their most open state", async () => {
  const fixture = await Fixture.create();
  const { id: processor } = await fixture.source("Processor");
  const { id: other } = await fixture.bind({ right_source_id: processor });
  await fixture.add("left", [
    line("whole", 500),
    line("half", 700),
    line("part", 900),
    line("out", 300),
  ]);
  await fixture.add("right", [line("whole-r", 500), line("half-r", 700), line("part-r", 600)]);
  const post = (source: string, lines: object[]) =>
    fixture.ok("POST", `sources/${source}/lines`, { body: { lines } });
  await post(processor, [line("whole-p", 500), line("part-p", 900), line("out-p", 300)]);
  await post((await fixture.source("Alone")).id, [line("alone", 100)]);

  const all = await linesOf(fixture, {});
  expect(all.map(({ external_id }) => external_id).sort()).toEqual(
    [
      "whole",
      "half",
      "part",
      "out",
      "whole-r",
      "half-r",
      "part-r",
      "whole-p",
      "part-p",
      "out-p",
      "alone",
    ].sort(),
  );
  const idOf = (name: string) => all.find(({ external_id }) => external_id === name)?.id;
  const match = (period: string, names: string[], split?: string) =>
    fixture.ok("POST", `reconciliations/${period}/matches`, {
      body: { line_ids: names.map(idOf), ...(split && { split_line_id: idOf(split) }) },
    });
  await match(fixture.period, ["whole", "whole-r"]);
  await match(other, ["whole", "whole-p"]);
  await match(fixture.period, ["half", "half-r"]);
  await match(fixture.period, ["part", "part-r"], "part");
  await match(other, ["part", "part-p"]);
  await fixture.ok("POST", `lines/${idOf("out")}/exclude`, {
    body: { reason: "Not ours", reconciliation_id: fixture.period },
  });
  await match(other, ["out", "out-p"]);

  const namesIn = async (query: Record<string, string>) =>
    (await linesOf(fixture, query))
      .map(({ external_id, state }) => `${external_id} ${state}`)
      .sort();
  const matched = ["half-r", "out-p", "part-p", "part-r", "whole-p", "whole-r"].map(
    (name) => `${name} matched`,
  );
  const ofBoth = { source_id: fixture.left };
  expect(await namesIn(ofBoth)).toEqual([
    "half open",
    "out excluded",
    "part partly_matched",
    "whole matched",
  ]);
  expect(await namesIn({ ...ofBoth, state: "open" })).toEqual(["half open"]);
  expect(await namesIn({ state: "open" })).toEqual(["alone open", "half open"]);
  expect(await namesIn({ state: "partly_matched" })).toEqual(["part partly_matched"]);
  expect(await namesIn({ state: "outstanding" })).toEqual([
    "alone open",
    "half open",
    "part partly_matched",
  ]);
  expect(await namesIn({ state: "outstanding", q: "part" })).toEqual(["part partly_matched"]);
  expect(await namesIn({ state: "excluded" })).toEqual(["out excluded"]);
  expect(await namesIn({ state: "matched" })).toEqual([...matched, "whole matched"].sort());
});
