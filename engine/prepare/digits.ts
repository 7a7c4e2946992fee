/** Whether a word has only the digits 0 to 9. An empty word does not count. */
export function isNumber(word: string): boolean {
  for (let at = 0; at < word.length; at++) if (!isDigit(word.charCodeAt(at))) return false;
  return word.length > 0;
}

/** Whether a UTF-16 code is one of the digits 0 to 9. */
export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
