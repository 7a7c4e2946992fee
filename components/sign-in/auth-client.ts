import { notifyOtherTabs } from "./session-state.ts";

/**
 * Talks to next-auth. Its own client leaves the page when the server is unreachable; this one
 * reports it.
 */
export async function postAuth(action: string, fields: Record<string, string> = {}): Promise<URL> {
  const { csrfToken } = await json<{ csrfToken: string }>(fetch("/api/auth/csrf"));
  const body = new URLSearchParams({ ...fields, csrfToken, json: "true" });
  const { url } = await json<{ url: string }>(
    fetch(`/api/auth/${action}`, { method: "POST", body }),
  );
  return new URL(url, window.location.origin);
}

async function json<Answer>(pending: Promise<Response>): Promise<Answer> {
  const response = await pending;
  return response.json();
}

/**
 * The signed-in member of a tenant; "nobody" without a session, "stranger" without a membership.
 */
export async function signedInTo(
  tenantId: string,
): Promise<{ name: string; roles: string[] } | "nobody" | "stranger"> {
  const response = await fetch("/v1/me", { headers: { "X-Tenant-Id": tenantId } });
  if (response.ok) return (await response.json()).principal;
  return response.status === 403 ? "stranger" : "nobody";
}

export async function signOut(): Promise<void> {
  await postAuth("signout", { callbackUrl: "/sign-in" });
  notifyOtherTabs("signed-out");
  // A full load, so that nothing of the session stays in memory.
  window.location.assign("/sign-in");
}
