import { readFileSync } from "node:fs";
import { findCredentials } from "#lib/api-keys/credential-format.ts";
import { fail } from "./fail.ts";

const USAGE =
  "Usage: npm run -s keys -- check <text>   (or - for standard input)\nFinds API keys in " +
  "pasted text, without network or database.";

const [command, ...words] = process.argv.slice(2);
if (command !== "check" || words.length === 0) fail(USAGE);

const text = words.length === 1 && words[0] === "-" ? readFileSync(0, "utf8") : words.join(" ");
const found = findCredentials(text);
for (const { match, genuine } of found)
  console.log(
    `${mask(match)}  ${genuine ? "genuine: revoke it" : "not a key: the checksum fails"}`,
  );
if (found.length === 0) console.log("No API key found.");
if (found.some(({ genuine }) => genuine)) process.exitCode = 1;

/**
 * Masks the secret, which someone else could read on the screen or in a build log; the rest
 * identifies the key's record.
 */
function mask(match: string): string {
  const secret = match.slice(match.indexOf("tks_"));
  return `${match.slice(0, match.length - secret.length)}${secret.slice(0, 8)}…${secret.slice(-4)}`;
}
