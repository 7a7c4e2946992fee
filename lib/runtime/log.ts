import pino from "pino";

/** One JSON line per event on stdout; the supervisor adds the part's name. Never log headers, bodies or credentials. */
export const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (level) => ({ level }) } });
