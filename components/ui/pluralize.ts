/** "1 exception", "1,204 exceptions". `many` is the plural if it isn't formed with an s. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
