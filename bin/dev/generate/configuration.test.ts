import { expect, test } from "vitest";
import { VARIABLE_NAMES } from "#lib/runtime/env.ts";
import { VARIABLES } from "./variables.ts";

const documented = Object.values(VARIABLES).flatMap((group) => group.flatMap(({ names }) => names));

test("documents every variable that the environment's schema parses", () => {
  expect(VARIABLE_NAMES.filter((name) => !documented.includes(name))).toEqual([]);
});

test("documents no variable twice", () => {
  expect(documented.filter((name, at) => documented.indexOf(name) !== at)).toEqual([]);
});
