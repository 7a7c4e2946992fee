/**
 * Where to go after sign-in: a path of our own origin, else the start page. Paths that a browser
 * would resolve to another address (`//host`, or `/.//host` and `/a/..//host`, which become it)
 * lead to the start page.
 */
export function callbackPath(requested: string | undefined, origin: string): string {
  if (!requested || !URL.canParse(requested, origin)) return "/";
  const url = new URL(requested, origin);
  const path = url.pathname + url.search + url.hash;
  const isOurs =
    url.href === origin + path &&
    URL.canParse(path, origin) &&
    new URL(path, origin).href === url.href;
  return isOurs && url.pathname !== "/sign-in" ? path : "/";
}
