import { expect, test } from "vitest";
import type { Exception } from "#lib/exceptions/contract.ts";
import { groupsOf, inverseOf, isApplied, isUnchanged, lastAction } from "./undo.ts";

const open = {
  status: "open",
  assigned_to: "user:leo",
  closed_at: null,
  resolution: null,
  paused_at: null,
  due_at: "2030-01-01T00:00:00.000Z",
};
const exception = (fields: Partial<Exception> = {}) => ({ ...open, ...fields }) as Exception;

test("restores the previous fields of a change", () => {
  expect(
    inverseOf(exception(), { assigned_to: "user:ada", due_at: "2031-01-01T00:00:00.000Z" }),
  ).toEqual([{ patch: { assigned_to: "user:leo", due_at: "2030-01-01T00:00:00.000Z" } }]);
  expect(inverseOf(exception({ status: "in_review" }), { status: "open" })).toEqual([
    { patch: { status: "in_review" } },
  ]);
});

test("reopens a resolved exception, in review and paused if it was", () => {
  const patch = { status: "resolved", resolution: "Found." } as const;
  expect(inverseOf(exception(), patch)).toEqual([{ patch: { status: "open" } }]);
  const before = exception({
    status: "in_review",
    paused_at: "2026-01-01T00:00:00.000Z",
    paused_until: null,
    pause_reason: "Bank",
  });
  expect(inverseOf(before, patch)).toEqual([
    { patch: { status: "open" } },
    { patch: { status: "in_review" } },
    { pause: { reason: "Bank", until: null } },
  ]);
});

test("closes a reopened exception again with its resolution", () => {
  const before = exception({
    status: "dismissed",
    resolution: "Test data.",
    closed_at: "2026-01-01T00:00:00.000Z",
  });
  expect(inverseOf(before, { status: "open" })).toEqual([
    { patch: { status: "dismissed", resolution: "Test data." } },
  ]);
});

test("recognises an undone action by its first steps, never by another user's change", () => {
  const steps = inverseOf(exception({ status: "in_review" }), {
    status: "resolved",
    resolution: "Found.",
  });
  expect(isApplied(steps, exception())).toBe(true);
  expect(isApplied(steps, exception({ status: "in_review" }))).toBe(true);
  expect(isApplied(steps, exception({ status: "resolved" }))).toBe(false);
  const both = inverseOf(exception(), { assigned_to: "user:ada", status: "in_review" });
  expect(isApplied(both, exception({ assigned_to: "user:zoe" }))).toBe(false);
  expect(isApplied([{ resume: true }], exception())).toBe(false);
});

test("undoes the last action on the open exception, otherwise the last of all", () => {
  const action = (id: string, done: string) => ({
    id,
    title: "Payout",
    done,
    undone: "",
    steps: [],
    etag: Promise.resolve(null),
  });
  const all = [
    action("exc_1", "first"),
    action("exc_2", "second"),
    action("exc_1", "third"),
    action("exc_3", "fourth"),
  ];
  expect([
    lastAction(all, "exc_1")?.done,
    lastAction(all, "exc_2")?.done,
    lastAction(all, "exc_9")?.done,
  ]).toEqual(["third", "second", "fourth"]);
  expect(lastAction([], "exc_1")).toBeUndefined();
  const bulk = { id: null, title: "", done: "bulk", undone: "", groups: [], patch: {} };
  expect(lastAction([bulk, ...all], null)?.done).toBe("fourth");
  expect(lastAction([...all, bulk], null)?.done).toBe("bulk");
});

test("undoes a bulk change with one call for all exceptions that were the same before", () => {
  const before = [
    exception({ id: "exc_1", assigned_to: "user:leo" }),
    exception({ id: "exc_2", assigned_to: null }),
    exception({ id: "exc_3", assigned_to: "user:leo" }),
  ];
  expect(groupsOf(before, (item) => inverseOf(item, { assigned_to: "user:ada" }))).toEqual([
    { ids: ["exc_1", "exc_3"], steps: [{ patch: { assigned_to: "user:leo" } }] },
    { ids: ["exc_2"], steps: [{ patch: { assigned_to: null } }] },
  ]);
});

test("doesn't undo exceptions that someone else has changed since", () => {
  const patch = { assigned_to: "user:ada" };
  expect(isUnchanged(patch, exception({ assigned_to: "user:ada" }))).toBe(true);
  expect(isUnchanged(patch, exception({ assigned_to: "user:zoe" }))).toBe(false);
  expect(isUnchanged(patch, undefined)).toBe(true);
});
