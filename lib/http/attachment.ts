/**
 * The Content-Disposition of a file that is saved as `name`. Unless the name is plain ASCII, it is
 * encoded by RFC 6266, after a name that every client can read. Some clients decode a `%` in the
 * plain name, so it is replaced, too.
 */
export function attachment(name: string): string {
  const whole = name.toWellFormed();
  const plain = whole.replaceAll(/[^ !#$&-[\]-~]/gu, "_");
  const extended = encodeURIComponent(whole).replaceAll(/['()*]/g, percentEncoded);
  return plain === name
    ? `attachment; filename="${name}"`
    : `attachment; filename="${plain}"; filename*=UTF-8''${extended}`;
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
