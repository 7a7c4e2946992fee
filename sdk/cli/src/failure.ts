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

type Failure = { exitCode: number; message: string; details: object };

export function failureOf(error: unknown): Failure {
  // Commander has already printed the error.
  if (error instanceof CommanderError)
    return { exitCode: error.exitCode === 0 ? EXIT.done : EXIT.usage, message: "", details: {} };
  if (!(error instanceof TieoutError)) {
    const { message } = error as Error;
    const exitCode = error instanceof CliError ? error.exitCode : EXIT.failed;
    return { exitCode, message, details: { message, exit_code: exitCode } };
  }
  const { code, status = 0, reason, requestId, errors, retryable } = error;
  const exitCode =
    code === "failed"
      ? EXIT.workFailed
      : (BY_STATUS[status] ?? (retryable ? EXIT.unavailable : EXIT.failed));
  const lines = [
    error.message,
    ...errors.map(({ path, message }) => `  ${path}: ${message}`),
    ...(requestId ? [`  Request: ${requestId}`] : []),
  ];
  const details = { code, reason, message: error.message, errors, request_id: requestId };
  return { exitCode, message: lines.join("\n"), details: { ...details, exit_code: exitCode } };
}
