import type { Sender } from "#lib/webhooks/send.ts";

/** Posts a message to a Slack-compatible incoming webhook. @returns why it failed, or null */
export async function postToChannel(
  sender: Sender,
  url: string,
  text: string,
  stop: AbortSignal | undefined,
): Promise<string | null> {
  const body = JSON.stringify({ text });
  const outcome = await sender.send(
    { url, body, headers: {} },
    stop ?? new AbortController().signal,
  );
  if ("failure_kind" in outcome) return outcome.detail;
  return outcome.status_code >= 200 && outcome.status_code < 300
    ? null
    : (outcome.detail ?? `The channel responded with ${outcome.status_code}.`);
}
