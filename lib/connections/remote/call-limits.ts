import type { Duplex } from "node:stream";
import { RemoteError } from "./remote-error.ts";

/** @throws RemoteError if the server hasn't answered in time; errors of the call are passed on */
export async function withTimeout<Answer>(
  limitMs: number,
  operation: string,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(
    () =>
      timeout.reject(
        new RemoteError(
          `Can't ${operation}: the server didn't respond within ${limitMs / 1000} s.`,
        ),
      ),
    limitMs,
  );
  try {
    return await Promise.race([call(), timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Disconnects a server that sends more than `limit` bytes during a call, because the client holds a
 * whole answer in memory.
 * @throws RemoteError with the message; errors of the call are passed on
 */
export async function withByteLimit<Answer>(
  socket: Duplex,
  limit: number,
  message: string,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const overflow = Promise.withResolvers<never>();
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= limit) return;
    overflow.reject(new RemoteError(message, true));
    socket.destroy();
  };
  socket.on("data", count);
  try {
    return await Promise.race([call(), overflow.promise]);
  } finally {
    socket.off("data", count);
  }
}
