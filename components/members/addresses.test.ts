import { expect, test } from "vitest";
import { addressesIn, addressFault } from "./addresses.ts";

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

test.each([
  ["", "Enter an email address."],
  ["nia@mail.example", ""],
  ["nia@mail.example, bad-address", '"bad-address" isn\'t an email address.'],
  ["nia@mail", '"nia@mail" isn\'t an email address.'],
])("names the entry of %j that isn't an address", (text, fault) => {
  expect(addressFault(text)).toBe(fault);
});
