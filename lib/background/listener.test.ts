import { describe, expect, test } from "vitest";
import { isResponsible } from "./listener.ts";

const NOTIFICATIONS = Array.from({ length: 3_000 }, (_, n) => `whk_${n}`);

function answeredBy(peers: string[]): Map<string, string[]> {
  return new Map(
    NOTIFICATIONS.map((what) => [what, peers.filter((peer) => isResponsible(peer, peers, what))]),
  );
}

describe("a process that answers a notification", () => {
  test("is one of the living processes, spread evenly", () => {
    const answered = [...answeredBy(["a", "b", "c"]).values()];
    expect(answered.every((peers) => peers.length === 1)).toBe(true);
    for (const peer of ["a", "b", "c"])
      expect(answered.filter(([one]) => one === peer).length).toBeGreaterThan(
        NOTIFICATIONS.length / 4,
      );
  });

  test("changes only for topics of a process that died", () => {
    const [before, after] = [answeredBy(["a", "b", "c"]), answeredBy(["a", "b"])];
    for (const what of NOTIFICATIONS)
      if (before.get(what)?.[0] !== "c") expect(after.get(what)).toEqual(before.get(what));
  });

  test("is the only process, even before its first heartbeat", () => {
    expect([
      isResponsible("a", ["a"], "whk_1"),
      isResponsible("a", [], "whk_1"),
      isResponsible(undefined, [], "whk_1"),
    ]).toEqual([true, true, true]);
  });
});
