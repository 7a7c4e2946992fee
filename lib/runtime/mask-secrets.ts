export const REDACTED = "[redacted]";

/** API key secrets, signing secrets, Supabase secret keys, and JWTs, signed or encrypted. */
const SECRET =
  /tks_(?:test_)?[0-9A-Za-z]{8,}|whsec_[0-9A-Za-z+/=_-]{8,}|sb_secret_[0-9A-Za-z_-]{8,}|eyJ[\w-]{8,}(?:\.[\w-]*){2,4}/g;
const MAYBE_SECRET = /tks_|whsec_|sb_secret_|eyJ/;
const PERCENT_ENCODED = /[^\s"'\\<>]*%[0-9A-Fa-f]{2}[^\s"'\\<>]*/g;
/** Each proxy on the way may encode a path once more. */
const DECODINGS_MAX = 3;

/**
 * Replaces credentials in a text, plain or percent-encoded. Everything that is logged, stored about
 * a call or written to the audit log passes through this function.
 */
export function maskSecrets(text: string): string {
  const masked = MAYBE_SECRET.test(text) ? text.replace(SECRET, REDACTED) : text;
  return masked.includes("%") ? masked.replace(PERCENT_ENCODED, maskEncoded) : masked;
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
