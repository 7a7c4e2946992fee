/** Where to go after signing in: a path of our own origin, else the start page. Anything that leads elsewhere is dropped. */
export function callbackPath(asked: string | undefined, origin: string): string {
  if (!asked) return "/";
  try {
    const url = new URL(asked, origin);
    return url.origin === origin && url.pathname !== "/sign-in" ? url.pathname + url.search + url.hash : "/";
  } catch {
    return "/";
  }
}
