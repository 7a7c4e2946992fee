import { createStore } from "#components/ui/store.ts";

/** Session messages between tabs. */
type SessionMessage = "signed-in" | "signed-out";

/**
 * Whether this page's session has ended. Set by every request that gets a 401, which shows the
 * dialog (again).
 */
export const sessionEnded = createStore(false);

export function resumeSession(): void {
  sessionEnded.set(false);
  settle(true);
}

/** Rejects calls that a person started; background reads keep waiting. */
export function rejectUserCalls(): void {
  settle(false);
}

type Waiting = { patient: boolean; resolve: (resumed: boolean) => void };
let waiting: Waiting[] = [];

/**
 * Marks the session as ended and waits for sign-in: true once signed in, false if dismissed.
 * `signal`: set for reads, which can wait longer.
 */
export function waitForSignIn(signal: AbortSignal | undefined): Promise<boolean> {
  sessionEnded.set(true);
  return new Promise((resolve, fail) => {
    waiting.push({ patient: signal !== undefined, resolve });
    signal?.addEventListener("abort", () => fail(signal.reason));
  });
}

function settle(resumed: boolean): void {
  const ready = waiting.filter(({ patient }) => resumed || !patient);
  waiting = waiting.filter((item) => !ready.includes(item));
  for (const { resolve } of ready) resolve(resumed);
}

const CHANNEL = "tieout.session";

export function notifyOtherTabs(message: SessionMessage): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(message);
  channel.close();
}

export function onSessionMessage(listener: (message: SessionMessage) => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }) => listener(data);
  return () => channel.close();
}
