import { expect, test } from "vitest";
import { addressesIn } from "./addresses.ts";

test.each([
  ["", []],
  [" nia@mail.example ", ["nia@mail.example"]],
  ["nia@mail.example, leo@mail.example", ["nia@mail.example", "leo@mail.example"]],
  [
    "nia@mail.example;leo@mail.example\nzoe@mail.example,",
    ["nia@mail.example", "leo@mail.example", "zoe@mail.example"],
  ],
  ["nia@mail.example Nia@Mail.example", ["Nia@Mail.example"]],
])("the addresses of %j are %j", (text, addresses) => {
  expect(addressesIn(text)).toEqual(addresses);
});
