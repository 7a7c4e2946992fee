/**
 * The endings of credentials' names, with their words joined: client_secret, DB_PASSWORD,
 * X-Api-Key, accesstoken.
 */
const CREDENTIAL_ENDING =
  /(?:password|passwd|passphrase|secret|token|credential|authorization|(?:access|auth|bearer|refresh|session)token|connectionstring|(?:access|account|api|auth|client|encryption|hmac|master|private|secret|service|servicerole|shared|signing|ssh)key)s?$/;

/** Names that are too short to search for inside longer words. */
const CREDENTIAL_LABELS = new Set([
  "bearer",
  "cookie",
  "cookies",
  "creds",
  "dsn",
  "jwt",
  "otp",
  "pat",
  "pin",
  "pwd",
  "sas",
]);

/** Suffixes that may follow a credential's name: password_2, token_value. */
const TRAILING = /^(?:\d+|base64|current|new|old|plain|previous|primary|raw|secondary|text|value)$/;

const URL_WITH_PASSWORD = /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/?#@:]{0,255}:[^\s/?#@]{1,1024}@/i;
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/;

/** The paths of values that look like credentials, by their name or their format. */
export function findCredentials(root: unknown): string[][] {
  const found: string[][] = [];
  const pending: { value: unknown; path: string[] }[] = [{ value: root, path: [] }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, path } = next;
    if (typeof value === "string" && (URL_WITH_PASSWORD.test(value) || PRIVATE_KEY.test(value)))
      found.push(path);
    if (typeof value !== "object" || value === null) continue;
    for (const [key, child] of Object.entries(value)) {
      const at = [...path, key];
      if (!Array.isArray(value) && isCredential(key, child)) found.push(at);
      else pending.push({ value: child, path: at });
    }
  }
  return found.sort((left, right) => (left.join(".") < right.join(".") ? -1 : 1));
}

function isCredential(key: string, value: unknown): boolean {
  // `has_password: true` only says that there is a password; null and "" say that there is none.
  if (value === null || value === "" || typeof value === "boolean") return false;
  const words = wordsOf(key);
  const last = words.at(-1) ?? "";
  // max_tokens is a count, not a credential.
  if (last.endsWith("tokens") && typeof value === "number") return false;
  return CREDENTIAL_LABELS.has(last) || CREDENTIAL_ENDING.test(words.join(""));
}

function wordsOf(key: string): string[] {
  const words = key
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => word.replace(/(?<=\p{L})\d+$/u, ""))
    .filter(Boolean);
  while (words.length > 1 && TRAILING.test(words.at(-1) ?? "")) words.pop();
  return words;
}
