/** "1 exception", "1,204 exceptions". `many`: the plural, where it is more than an s. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
