import { expect, test } from "vitest";
import { toast, toastFailure, toasts } from "./toast.ts";

test("of many messages the newest three show, and every failure", () => {
  toastFailure("Couldn't save", "The server is away.");
  for (const title of ["1", "2", "3", "4", "5"]) toast(title);
  expect(toasts.get().map(({ title }) => title)).toEqual(["Couldn't save", "3", "4", "5"]);
});
