export const REDACTED = "[redacted]";

/**
 * API key secrets, signing secrets, Supabase secret keys, and JWTs, signed or encrypted. A prefix
 * counts in any case: it doesn't work then, but the secret after it does.
 */
const SECRET =
  /[tT][kK][sS]_(?:test_)?[0-9A-Za-z]{8,}|(?:whsec|WHSEC)_[0-9A-Za-z+/=_-]{8,}|(?:sb_secret|SB_SECRET)_[0-9A-Za-z_-]{8,}|eyJ[\w-]{8,}(?:\.[\w-]*){2,4}/g;
const MAYBE_SECRET = /tks_|whsec_|sb_secret_|eyJ/i;
/** ASCII characters as JSON may escape them. */
const JSON_ESCAPED = /[^\s"]*\\u00[0-7][0-9A-Fa-f][^\s"]*/g;
const PERCENT_ENCODED = /[^\s"'\\<>]*%[0-9A-Fa-f]{2}[^\s"'\\<>]*/g;
/** Each proxy on the way may encode a path once more. */
const DECODINGS_MAX = 3;

/**
 * Replaces credentials in a text, plain, percent-encoded or escaped in JSON. Everything that is
 * logged, stored about a call or written to the audit log passes through this function.
 */
export function maskSecrets(text: string): string {
  const masked = MAYBE_SECRET.test(text) ? text.replace(SECRET, REDACTED) : text;
  const unescaped = masked.includes("\\u00") ? masked.replace(JSON_ESCAPED, maskEscaped) : masked;
  return unescaped.includes("%") ? unescaped.replace(PERCENT_ENCODED, maskEncoded) : unescaped;
}

/** Unescapes only letters, digits and what secrets contain, so that JSON stays JSON. */
function maskEscaped(token: string): string {
  const plain = token.replace(/\\u00([2-7][0-9A-Fa-f])/g, (escaped, hex: string) => {
    const letter = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w.+/=-]/.test(letter) ? letter : escaped;
  });
  return MAYBE_SECRET.test(plain) ? plain.replace(SECRET, REDACTED) : token;
}

function maskEncoded(token: string): string {
  let decoded = token;
  for (let round = 0; round < DECODINGS_MAX && decoded.includes("%"); round++) {
    decoded = decodeEscapes(decoded);
    if (MAYBE_SECRET.test(decoded)) {
      const masked = decoded.replace(SECRET, REDACTED);
      // Encoded again, so that quotes and line breaks can't break a log line.
      if (masked !== decoded) return encodeURI(masked.toWellFormed());
    }
  }
  return token;
}

/** Decodes ASCII only, the alphabet of secrets, and leaves other escapes unchanged. */
function decodeEscapes(text: string): string {
  return text.replace(/%([0-7][0-9A-Fa-f])/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
