import { expect, test } from "vitest";
import { filesOf, isMarked, isSettled } from "./ready-files.ts";

const at = (minute: number) => `2026-11-05T06:${`${minute}`.padStart(2, "0")}:00.000Z`;
const file = (path: string, minute = 0) => ({ path, bytes: 1, modified_at: at(minute) });
const ALL = { kind: "sftp", file_glob: "*" } as const;

test.each([
  "day.csv.part",
  "day.csv.PARTIAL",
  "day.csv.tmp",
  "day.csv.temp",
  "day.csv.filepart",
  "day.csv.crdownload",
  "day.csv.uploading",
  "day.csv.upload",
  "day.csv.inprogress",
  "day.csv.writing",
  "day.csv.swp",
  "day.csv.lock",
  "day.csv~",
  ".day.csv.Xa81Qz",
  ".in.day.csv",
  "~$day.xlsx",
  "day.csv.done",
])("%s is no file, whatever the pattern", (path) => {
  expect(filesOf([file(path)], ALL)).toEqual([]);
});

test("files come oldest first, by the pattern, and the one file of an address in any case", () => {
  const found = [file("b.csv", 2), file("a.csv", 2), file("z.csv", 1), file("a.txt")];
  expect(filesOf(found, { ...ALL, file_glob: "*.csv" }).map(({ path }) => path)).toEqual([
    "z.csv",
    "a.csv",
    "b.csv",
  ]);
  expect(filesOf([file("a.tmp")], { kind: "https", file_glob: "*.csv" })).toHaveLength(1);
});

test("a marker proves that a file is complete only if it is not older than the file", () => {
  const marked = (path: string, minute: number, markerMinute: number | null) => {
    const marker = { ...file(`${path}.done`, markerMinute ?? 0), bytes: 0 };
    const unknown = { ...marker, modified_at: null };
    return [file(path, minute), markerMinute === null ? unknown : marker];
  };
  const settled = ([day, marker]: ReturnType<typeof marked>) =>
    [isMarked, isSettled].map((holds) => day && marker && holds(day, [day, marker]));
  expect(settled(marked("day.csv", 5, 5))).toEqual([true, true]);
  expect(settled(marked("day.csv", 5, 9))).toEqual([true, true]);
  // Yesterday's marker, next to today's file that is still growing.
  expect(settled(marked("day.csv", 5, 1))).toEqual([true, false]);
  expect(settled(marked("day.csv", 5, null))).toEqual([true, false]);
  expect(isMarked(file("day.csv"), [file("day.csv"), file("night.csv.done")])).toBe(false);
});
