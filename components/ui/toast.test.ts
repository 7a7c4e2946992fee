import { expect, test } from "vitest";
import { dismissToast, toast, toastFailure, toasts, visibleToasts } from "./toast.ts";

const shown = () =>
  visibleToasts(toasts.get()).map(({ title, awaited }) => (awaited ? `${title}, awaited` : title));

test("shows one message at a time, in order, next to all failures", () => {
  toastFailure("Couldn't save", "The server is away.");
  toast("1");
  expect(shown()).toEqual(["Couldn't save", "1"]);
  for (const title of ["2", "3", "4", "5"]) toast(title);
  expect(shown()).toEqual(["Couldn't save", "1, awaited"]);
  toastFailure("Couldn't save the decision", "Another decision came first.");
  expect(shown()).toEqual(["Couldn't save", "1, awaited", "Couldn't save the decision"]);
  dismissToast(toasts.get().find(({ title }) => title === "1")?.id ?? 0);
  expect(shown()).toEqual(["Couldn't save", "3, awaited", "Couldn't save the decision"]);
});
