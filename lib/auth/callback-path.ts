/**
 * Where to go after signing in: a path of our own origin, else the start page. What a browser would read as another address
 * than the one meant (`//host`, which `/.//host` and `/a/..//host` become) leads to the start page.
 */
export function callbackPath(asked: string | undefined, origin: string): string {
  if (!asked || !URL.canParse(asked, origin)) return "/";
  const url = new URL(asked, origin);
  const path = url.pathname + url.search + url.hash;
  const isOurs =
    url.href === origin + path &&
    URL.canParse(path, origin) &&
    new URL(path, origin).href === url.href;
  return isOurs && url.pathname !== "/sign-in" ? path : "/";
}
