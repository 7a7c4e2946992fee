import { expect, test } from "vitest";
import { mintCredential } from "../api-keys/credential-format.ts";
import { maskSecrets, REDACTED } from "./mask-secrets.ts";

const { keyId, secret } = mintCredential();
const encodeAll = (text: string) =>
  [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
const escapeAll = (text: string) =>
  [...text].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join("");

test.each([
  ["as it is", secret],
  ["of a sandbox", mintCredential(true).secret],
  ["behind its key ID", `${keyId}.${secret}`],
  ["in a path", `/v1/exceptions/${secret}/comments`],
  ["with its underscore percent-encoded", secret.replace("_", "%5F")],
  ["percent-encoded letter by letter", encodeAll(secret)],
  ["percent-encoded twice", encodeAll(encodeAll(secret))],
  ["with its prefix in capitals", secret.replace("tks_", "TKS_")],
  ["with its prefix in capitals and percent-encoded", encodeAll(secret.replace("tks_", "Tks_"))],
  ["escaped as JSON allows", `{"title":"${escapeAll(secret)} \\u00e9 \\u0022"}`],
  ["with its underscore escaped", `{"title":"${secret.replace("_", "\\u005F")}"}`],
  ["in a query with other escapes", `q=%C3%A9&key=${secret.replace("_", "%5f")}`],
  ["in a line of JSON", JSON.stringify({ path: `/v1/${encodeAll(secret)}`, status: 404 })],
])("hides an API key's secret %s", (_name, text) => {
  const masked = maskSecrets(text);
  let decoded = masked;
  decoded = decoded.replace(/\\u00([0-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  for (let round = 0; round < 4; round++)
    decoded = decoded.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  expect(decoded).not.toContain(secret.slice(4));
  expect(decoded).not.toMatch(/[0-9A-Za-z]{49}/);
  expect(decoded).toContain(REDACTED);
});

test("hides signed and encrypted tokens, signing secrets and Supabase secret keys", () => {
  const header = "eyJhbGciOiJIUzI1NiJ9";
  for (const text of [
    `${header}.eyJzdWIiOiJhIn0.c2lnbmF0dXJl`,
    `${header}..aXZpdml2.Y2lwaGVydGV4dA.dGFn`,
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "sb_secret_N7UND0UgjKTVK",
  ])
    expect(maskSecrets(`Bearer ${text}`)).toBe(`Bearer ${REDACTED}`);
});

const WORDS = 'tks, "100 %25" %C3%A9 \\u0041 moneyjournals.acme.example';

test("keeps a line of JSON parseable and all other text unchanged", () => {
  const line = JSON.stringify({ path: `/v1/%22${secret}%0a`, words: WORDS });
  const parsed = JSON.parse(maskSecrets(line));
  expect(parsed.path).not.toContain(secret);
  expect(parsed.words).toBe(WORDS);
});
