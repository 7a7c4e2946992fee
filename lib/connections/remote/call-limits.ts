import type { Duplex } from "node:stream";
import { RemoteError } from "./remote-error.ts";

/** @throws RemoteError if the server hasn't answered in time, and the errors of the call */
export async function answerWithin<Answer>(
  limitMs: number,
  operation: string,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () =>
      late.reject(
        new RemoteError(
          `Can't ${operation}: the server didn't respond within ${limitMs / 1000} s.`,
        ),
      ),
    limitMs,
  );
  try {
    return await Promise.race([call(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Disconnects a server that sends more during a call, because its client keeps an answer in memory.
 * @throws RemoteError with the message, and the errors of the call
 */
export async function atMostBytes<Answer>(
  socket: Duplex,
  limit: number,
  message: string,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const flooded = Promise.withResolvers<never>();
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= limit) return;
    flooded.reject(new RemoteError(message, true));
    socket.destroy();
  };
  socket.on("data", count);
  try {
    return await Promise.race([call(), flooded.promise]);
  } finally {
    socket.off("data", count);
  }
}
