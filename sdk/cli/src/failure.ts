import { CommanderError } from "commander";
import { TieoutError } from "../../typescript/src/index.ts";

/** The exit codes, for cron and scripts. The README lists them. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  notFound: 4,
  conflict: 5,
  invalid: 6,
  unavailable: 7,
  questions: 8,
  workFailed: 9,
  rowsRejected: 10,
} as const;
type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure of the command line itself. */
export class CliError extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

const BY_STATUS: Record<number, ExitCode> = {
  400: EXIT.invalid,
  401: EXIT.refused,
  403: EXIT.refused,
  404: EXIT.notFound,
  409: EXIT.conflict,
  412: EXIT.conflict,
  413: EXIT.invalid,
  415: EXIT.invalid,
  422: EXIT.invalid,
};

type Failure = {
  exitCode: number;
  /** Empty if it was printed. */
  message: string;
  /** Undefined if nothing failed. */
  details: object | undefined;
};

export function failureOf(error: unknown): Failure {
  // Commander prints the error itself, unless JSON is asked for.
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return { exitCode: EXIT.done, message: "", details: undefined };
    const text = error.message.replace(/^error: /, "");
    return { exitCode: EXIT.usage, message: "", details: { message: text, exit_code: EXIT.usage } };
  }
  if (!(error instanceof TieoutError)) {
    const { message } = error as Error;
    const exitCode = error instanceof CliError ? error.exitCode : EXIT.failed;
    return { exitCode, message, details: { message, exit_code: exitCode } };
  }
  const { code, status = 0, reason, requestId, errors, retryable, retryAfterMs } = error;
  const exitCode =
    code === "failed"
      ? EXIT.workFailed
      : (BY_STATUS[status] ?? (retryable ? EXIT.unavailable : EXIT.failed));
  const retryAfterS = retryAfterMs && Math.ceil(retryAfterMs / 1000);
  const lines = [
    error.message,
    ...errors.map(({ path, message }) => `  ${path}: ${message}`),
    ...(retryAfterS ? [`  Try again in ${retryAfterS} s.`] : []),
    ...(requestId ? [`  Request: ${requestId}`] : []),
  ];
  const details = {
    code,
    reason,
    message: error.message,
    errors,
    request_id: requestId,
    retry_after_s: retryAfterS,
    exit_code: exitCode,
  };
  return { exitCode, message: lines.join("\n"), details };
}
