import { createStore } from "./store.ts";

/**
 * The URL of a page that was requested while the browser was offline. It is opened when the browser
 * is back online (components/shell/offline-notice.tsx).
 */
export const pendingNavigation = createStore<string | null>(null);

type Router = { push: (href: string) => void };

/**
 * Goes to a page, or stores the URL while offline: without a network, the router would leave the
 * app for the browser's error page.
 */
export function navigate(router: Router, href: string): void {
  if (navigator.onLine) router.push(href);
  else pendingNavigation.set(href);
}
