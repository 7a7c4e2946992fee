import { TIME_ZONE_COOKIE } from "./preferences.ts";
import { localTimeZone } from "./time-zone.ts";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

export function writeCookie(name: string, value: string): void {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax${secure}`;
}

/**
 * Keeps the browser's time zone for a person who signs in without having chosen one, so that the
 * first page has it.
 */
export function storeLocalTimeZone(): void {
  if (!document.cookie.split("; ").some((value) => value.startsWith(`${TIME_ZONE_COOKIE}=`)))
    writeCookie(TIME_ZONE_COOKIE, localTimeZone());
}
