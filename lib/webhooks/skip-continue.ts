import type { Socket } from "node:net";

const INTERIM = /^HTTP\/1\.[01] 100[^\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n/;
const BEGINNING = "HTTP/1.1 100";
/** More than any server sends before the final response. */
const INTERIM_MAX_BYTES = 16 * 1024;

/**
 * Drops unrequested 100 Continue responses, as RFC 9110, 15.2 allows. undici treats them as
 * failures, so the receiver would get an accepted message again.
 */
export function skipContinue(socket: Socket): Socket {
  const read = socket.read.bind(socket);
  let buffered: Buffer | null = null;
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk: Buffer | null = read(size);
      if (chunk === null) return null;
      const bytes: Buffer = buffered ? Buffer.concat([buffered, chunk]) : chunk;
      buffered = null;
      const remaining = withoutInterim(bytes);
      if (remaining === null) buffered = bytes;
      else if (remaining.length > 0) return remaining;
    }
  };
  return socket;
}

/** Null if the interim response is incomplete. */
function withoutInterim(bytes: Buffer): Buffer | null {
  let remaining = bytes;
  for (;;) {
    const start = remaining.toString("latin1", 0, BEGINNING.length).replace("1.0", "1.1");
    if (start === "" || !BEGINNING.startsWith(start)) return remaining;
    const text = remaining.toString("latin1", 0, INTERIM_MAX_BYTES);
    const interim = INTERIM.exec(text)?.[0];
    if (interim === undefined) return remaining.length < INTERIM_MAX_BYTES ? null : remaining;
    remaining = remaining.subarray(interim.length);
  }
}
