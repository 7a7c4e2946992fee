import { createStore } from "#components/ui/store.ts";

/** What the tabs of one browser tell each other of its session. */
type Told = "signed-in" | "signed-out";

/** Whether this page's session is known to have ended. Set by each request that is told so: the dialog comes (back) to the front. */
export const sessionEnded = createStore(false);

export function resumeSession(): void {
  sessionEnded.set(false);
  settle(true);
}

/** Whoever waits by somebody's act is told no; what the page reads by itself goes on waiting. */
export function putAside(): void {
  settle(false);
}

type Waiting = { patient: boolean; answer: (resumed: boolean) => void };
let waiting: Waiting[] = [];

/** Ends the session, and waits for somebody to sign in: true once they have, false when they will not now. `signal`: of a read, which can wait longer. */
export function sessionResumed(signal: AbortSignal | undefined): Promise<boolean> {
  sessionEnded.set(true);
  return new Promise((answer, fail) => {
    waiting.push({ patient: signal !== undefined, answer });
    signal?.addEventListener("abort", () => fail(signal.reason));
  });
}

function settle(resumed: boolean): void {
  const told = waiting.filter(({ patient }) => resumed || !patient);
  waiting = waiting.filter((one) => !told.includes(one));
  for (const { answer } of told) answer(resumed);
}

const CHANNEL = "tieout.session";

export function tellOtherTabs(told: Told): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(told);
  channel.close();
}

export function onToldByOtherTabs(listener: (told: Told) => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }) => listener(data);
  return () => channel.close();
}
