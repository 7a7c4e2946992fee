export const REDACTED = "[redacted]";

/** API key secrets, signing secrets, Supabase secret keys, and JWTs, signed or encrypted. */
const SECRET =
  /tks_[0-9A-Za-z]{8,}|whsec_[0-9A-Za-z+/=_-]{8,}|sb_secret_[0-9A-Za-z_-]{8,}|eyJ[\w-]{8,}(?:\.[\w-]*){2,4}/g;
const MAYBE_SECRET = /tks_|whsec_|sb_secret_|eyJ/;
const PERCENT_ENCODED = /[^\s"'\\<>]*%[0-9A-Fa-f]{2}[^\s"'\\<>]*/g;
/** A path can be encoded again at each hop. */
const DECODINGS_MAX = 3;

/**
 * A text without the credentials that stand in it, as they are or percent-encoded. Everything that
 * is logged, stored about a call or written to the audit log passes through here.
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
      // Encoded again, so that quotes and line breaks can't end the line of a log.
      if (masked !== decoded) return encodeURI(masked.toWellFormed());
    }
  }
  return token;
}

/** Decodes ASCII, which is all that a secret has, and leaves other escapes as they are. */
function decodeEscapes(text: string): string {
  return text.replace(/%([0-7][0-9A-Fa-f])/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
