/** Talks to next-auth. Its own client leaves the page where the server cannot be reached; this one says so. */
export async function postAuth(action: string, fields: Record<string, string> = {}): Promise<URL> {
  const { csrfToken } = await json<{ csrfToken: string }>(fetch("/api/auth/csrf"));
  const body = new URLSearchParams({ ...fields, csrfToken, json: "true" });
  const { url } = await json<{ url: string }>(fetch(`/api/auth/${action}`, { method: "POST", body }));
  return new URL(url, window.location.origin);
}

async function json<Answer>(pending: Promise<Response>): Promise<Answer> {
  const response = await pending;
  return response.json();
}

export async function signOut(): Promise<void> {
  await postAuth("signout", { callbackUrl: "/sign-in" });
  // A full load, so that nothing of the session stays in this page's memory.
  window.location.assign("/sign-in");
}
