import { createStore } from "./store.ts";

/** The address of a page that was asked for while the browser was offline; opened once it's back (components/shell/offline-notice.tsx). */
export const pendingNavigation = createStore<string | null>(null);

type Router = { push: (href: string) => void };

/** Goes to a page, or keeps it for later: without a network, the router would leave the app for the browser's error page. */
export function navigate(router: Router, href: string): void {
  if (navigator.onLine) router.push(href);
  else pendingNavigation.set(href);
}
