import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyPatch, mergePatch } from "./merge-patch.ts";

type Json = Record<string, unknown>;

describe("the patch from one record to another", () => {
  test.each<[Json, Json, Json]>([
    [{ a: 1 }, { a: 1 }, {}],
    [{ a: 1 }, { a: 2 }, { a: 2 }],
    [{ a: 1, b: 2 }, { b: 2 }, { a: null }],
    [{ a: 1 }, { a: 1, b: 2 }, { b: 2 }],
    [{ a: 1 }, { a: null }, { a: null }],
    [{ a: null }, {}, {}],
    [{}, { a: null }, {}],
    [{ a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { a: { c: 3 } }],
    [{ a: { b: 1 } }, { a: {} }, { a: { b: null } }],
    [{ a: [1, 2] }, { a: [1] }, { a: [1] }],
    [{ a: [{ b: 1 }] }, { a: [{ b: 1 }] }, {}],
    [{ a: { b: 1 } }, { a: 1 }, { a: 1 }],
    [{ a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
    [{}, { constructor: 1 }, { constructor: 1 }],
  ])("from %j to %j is %j", (before, after, patch) => {
    expect(mergePatch(before, after)).toEqual(patch);
  });

  test("turns any record into any other", () => {
    const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 3 },
        fc.integer(),
        fc.string(),
        fc.boolean(),
        fc.array(tie("json"), { maxLength: 3 }),
        tie("object"),
      ),
      object: fc.dictionary(
        fc.string({ maxLength: 3 }).filter((name) => name !== "__proto__"),
        tie("json"),
        { maxKeys: 4, noNullPrototype: true },
      ),
    })).object;
    fc.assert(
      fc.property(value, value, (before, after) => {
        expect(applyPatch(before as Json, mergePatch(before as Json, after as Json))).toEqual(
          after,
        );
      }),
    );
  });

  test("keeps another person's changes of other fields", () => {
    const patch = mergePatch({ title: "Old", body: "Old" }, { title: "Mine", body: "Old" });
    expect(applyPatch({ title: "Old", body: "Theirs" }, patch)).toEqual({
      title: "Mine",
      body: "Theirs",
    });
  });
});
