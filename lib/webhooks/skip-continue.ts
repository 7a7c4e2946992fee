import type { Socket } from "node:net";

const INTERIM = /^HTTP\/1\.[01] 100[^\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n/;
const BEGINNING = "HTTP/1.1 100";
/** More than any server sends before the final response. */
const INTERIM_MAX_BYTES = 16 * 1024;

/**
 * Drops 100 Continue responses that nobody asked for, as RFC 9110, 15.2 allows. undici takes them
 * for a failure, and the receiver would get a message again that it has accepted.
 */
export function skipContinue(socket: Socket): Socket {
  const read = socket.read.bind(socket);
  let held: Buffer | null = null;
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk: Buffer | null = read(size);
      if (chunk === null) return null;
      const bytes: Buffer = held ? Buffer.concat([held, chunk]) : chunk;
      held = null;
      const rest = withoutInterim(bytes);
      if (rest === null) held = bytes;
      else if (rest.length > 0) return rest;
    }
  };
  return socket;
}

/** Null where the end of an interim response is still to come. */
function withoutInterim(bytes: Buffer): Buffer | null {
  let rest = bytes;
  for (;;) {
    const start = rest.toString("latin1", 0, BEGINNING.length).replace("1.0", "1.1");
    if (start === "" || !BEGINNING.startsWith(start)) return rest;
    const text = rest.toString("latin1", 0, INTERIM_MAX_BYTES);
    const interim = INTERIM.exec(text)?.[0];
    if (interim === undefined) return rest.length < INTERIM_MAX_BYTES ? null : rest;
    rest = rest.subarray(interim.length);
  }
}
