import { describe, expect, test } from "vitest";
import { isResponsible } from "./listener.ts";

const TOPICS = Array.from({ length: 3_000 }, (_, n) => `whk_${n}`);

function responsibleByTopic(peers: string[]): Map<string, string[]> {
  return new Map(
    TOPICS.map((topic) => [topic, peers.filter((peer) => isResponsible(peer, peers, topic))]),
  );
}

describe("the process that handles a notification", () => {
  test("is exactly one live process, and each handles its share", () => {
    const responsible = [...responsibleByTopic(["a", "b", "c"]).values()];
    expect(responsible.every((peers) => peers.length === 1)).toBe(true);
    for (const peer of ["a", "b", "c"])
      expect(responsible.filter(([one]) => one === peer).length).toBeGreaterThan(TOPICS.length / 4);
  });

  test("changes only for topics of a process that died", () => {
    const [before, after] = [responsibleByTopic(["a", "b", "c"]), responsibleByTopic(["a", "b"])];
    for (const topic of TOPICS)
      if (before.get(topic)?.[0] !== "c") expect(after.get(topic)).toEqual(before.get(topic));
  });

  test("is the only process, even before its first heartbeat", () => {
    expect([
      isResponsible("a", ["a"], "whk_1"),
      isResponsible("a", [], "whk_1"),
      isResponsible(undefined, [], "whk_1"),
    ]).toEqual([true, true, true]);
  });
});
