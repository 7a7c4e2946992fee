import { expect, test } from "vitest";
import { secretFault } from "./contract.ts";

test.each([
  ["correct-horse-battery-staple-42\n", /white space/],
  [" correct-horse-battery-staple-42", /white space/],
  ["whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX \n", /white space/],
  ["\tsecret secret", /white space/],
  ["v1,whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX", /Remove "v1,"/],
  ["v1a,whpk_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX", /Remove "v1a,"/],
])("rejects the secret %j and says what to remove", (secret, reason) => {
  expect(secretFault(secret)).toMatch(reason);
});

test.each(["sixteen bytes ok", "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX", "with, a comma v1,"])(
  "accepts the secret %j",
  (secret) => {
    expect(secretFault(secret)).toBeNull();
  },
);
