import { expect, test } from "vitest";
import { VARIABLE_NAMES } from "#lib/runtime/env.ts";
import { VARIABLES } from "./variables.ts";

const documented = Object.values(VARIABLES).flatMap((group) => group.flatMap(({ names }) => names));

test("every variable that the environment's schema parses is documented", () => {
  expect(VARIABLE_NAMES.filter((name) => !documented.includes(name))).toEqual([]);
});

test("no variable is documented twice", () => {
  expect(documented.filter((name, at) => documented.indexOf(name) !== at)).toEqual([]);
});
