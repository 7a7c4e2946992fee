/**
 * Whether a name matches a glob, in which `*` is any characters and `?` is one. Takes at most time
 * proportional to the product of their lengths, because the pattern comes from a tenant and the
 * name from a server.
 */
export function globMatches(name: string, glob: string): boolean {
  const [letters, marks] = [[...name], [...glob]];
  let [at, mark] = [0, 0];
  let [star, resumeAt] = [-1, 0];
  while (at < letters.length) {
    if (marks[mark] === "*") {
      star = mark++;
      resumeAt = at;
    } else if (mark < marks.length && (marks[mark] === "?" || marks[mark] === letters[at])) {
      at++;
      mark++;
    } else if (star >= 0) {
      mark = star + 1;
      at = ++resumeAt;
    } else return false;
  }
  return marks.slice(mark).every((rest) => rest === "*");
}
