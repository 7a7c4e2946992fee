import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  findCredentials,
  mintCredential,
  parseCredential,
  SCANNER_PATTERN,
} from "./credential-format.ts";

describe("the format of a credential", () => {
  it.each([false, true])("matches the scanners' expression and parses, test: %s", (isTest) => {
    const { keyId, secret } = mintCredential(isTest);
    expect(secret.startsWith("tks_test_")).toBe(isTest);
    expect(findCredentials(`log ${secret}`)).toEqual([{ match: secret, genuine: true }]);
    expect(`${keyId}.${secret}`).toMatch(new RegExp(`^${SCANNER_PATTERN}$`));
    expect(parseCredential(`${keyId}.${secret}`)).toEqual({ keyId, secret });
  });

  it("never repeats", () => {
    const minted = Array.from({ length: 1000 }, mintCredential);
    expect(new Set(minted.map(({ keyId }) => keyId)).size).toBe(1000);
    expect(new Set(minted.map(({ secret }) => secret)).size).toBe(1000);
  });

  it("rejects a secret with any one character changed, by its checksum", () => {
    const { keyId, secret } = mintCredential();
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: secret.length - 1 }),
        fc.constantFrom(..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
        (at, character) => {
          fc.pre(secret[at] !== character);
          expect(
            parseCredential(`${keyId}.${secret.slice(0, at)}${character}${secret.slice(at + 1)}`),
          ).toBeNull();
        },
      ),
    );
  });

  it("rejects any other text without throwing", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 200 }),
        (text) => parseCredential(text) === null,
      ),
    );
  });

  it("is found in pasted text, alone or with its ID, genuine or not", () => {
    const { keyId, secret } = mintCredential();
    const forged = `${secret.slice(0, -1)}${secret.endsWith("a") ? "b" : "a"}`;
    expect(findCredentials(`log line ${keyId}.${secret}, "${secret}" and ${forged}.`)).toEqual([
      { match: `${keyId}.${secret}`, genuine: true },
      { match: secret, genuine: true },
      { match: forged, genuine: false },
    ]);
  });
});
