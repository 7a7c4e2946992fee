import type { Break } from "../break.ts";

const START = "e2e/stack/start.test.ts";
const FRONT = "e2e/stack/front.test.ts";

/** What the worker, the supervisor, the front server and the commands do. */
export const PROCESSES: Break[] = [
  {
    name: "broken-chain-signed-on",
    effect: "the worker signs what does not fit",
    patch: {
      file: "lib/security-events/sign-chain.ts",
      replace:
        "const { fault } = await verifyChain(state, chainReader(query, chain), before ?? undefined);",
      by: "const { fault } = { ...(await verifyChain(state, chainReader(query, chain), before ?? undefined)), fault: null };",
      rebuild: false,
    },
    killedBy: {
      file: "e2e/api/security-events/signed.test.ts",
      name: "a broken chain gets no further signatures",
    },
  },
  {
    name: "command-says-intact",
    effect: "npm run audit -- verify ends with 0 whatever it found",
    patch: { file: "bin/audit.ts", replace: "if (broken > 0) process.exitCode = 1;", by: "" },
    killedBy: { file: "e2e/api/security-events/tampering.test.ts", name: "a removed event" },
  },
  {
    name: "clock-spins",
    effect: "the worker polls without a pause for exceptions that another session has locked",
    patch: {
      file: "worker/sla-clock.ts",
      replace: "return moved > 0 ? 0 : LOCKED_WAIT_MS;",
      by: "return 0;",
    },
    killedBy: {
      file: "worker/sla-clock.test.ts",
      name: "waits before asking again for exceptions that are locked",
    },
  },
  {
    name: "clock-sleeps-long",
    effect: "the worker looks once in ten seconds",
    patch: {
      file: "worker/sla-clock.ts",
      replace: "const MAX_WAIT_MS = 400;",
      by: "const MAX_WAIT_MS = 10_000;",
    },
    killedBy: {
      file: "worker/sla-clock.test.ts",
      name: "sleeps until the next boundary, and looks for an earlier one within a second",
    },
  },
  {
    name: "matcher-holds-everything",
    effect: "the matcher is given the secrets of every part",
    patch: {
      file: "supervisor/process-env.ts",
      replace: "matcher: /^(DATABASE_URL|DIRECT_URL|HOST|METRICS_TOKEN)$/,",
      by: "matcher: /./,",
    },
    killedBy: {
      file: START,
      name: "while a stack runs each process has only the secrets that it needs",
    },
  },
  {
    name: "secrets-readable",
    effect: "the stack's secrets are open to every account",
    patch: {
      file: "supervisor/settings.ts",
      replace: "writeFileSync(`${file}.new`, text, { mode: 0o600 });",
      by: "writeFileSync(`${file}.new`, text, { mode: 0o644 });",
    },
    killedBy: { file: START, name: "while a stack runs only the owner can read its secrets" },
  },
  {
    name: "directory-shared",
    effect: "two supervisors run on one directory",
    patch: {
      file: "supervisor/lock-data-dir.ts",
      replace: "if (last || isSupervisor(pid)) {",
      by: "if (last) {",
    },
    killedBy: {
      file: START,
      name: "while a stack runs a second start on its DATA_DIR is refused and leaves it alone",
    },
  },
  {
    name: "part-not-restarted",
    effect: "a part that ends stays away",
    patch: {
      file: "supervisor/child-process.ts",
      replace: "this.#pause = setTimeout(() => this.#start(), pauseMs);",
      by: "",
    },
    killedBy: {
      file: "e2e/stack/restart.test.ts",
      name: "a killed worker is started again and the service is ready",
    },
  },
  {
    name: "forwarded-address-believed",
    effect: "a caller says where it comes from",
    patch: {
      file: "server/client-address.ts",
      replace: ".slice(-proxies)",
      by: ".slice(0, proxies)",
    },
    killedBy: {
      file: "server/client-address.test.ts",
      name: "one proxy: ignores entries that the caller made up",
    },
  },
  {
    name: "query-logged",
    effect: "tokens of query strings are in the access log",
    patch: {
      file: "server/main.ts",
      replace: 'const path = pathOf(request.url ?? "");',
      by: 'const path = request.url ?? "";',
    },
    killedBy: {
      file: FRONT,
      name: "the access log contains the path, and never the query or headers",
    },
  },
  {
    name: "request-id-of-the-caller",
    effect: "a caller chooses the request id",
    patch: {
      file: "server/inbound.ts",
      replace: "const requestId = newRequestId();",
      by: 'const requestId = request.headers["x-request-id"]?.toString() ?? newRequestId();',
    },
    killedBy: { file: FRONT, name: "the request id is ours, not the caller's" },
  },
  {
    name: "requests-cut-at-stop",
    effect: "a stop breaks off what is under way",
    patch: {
      file: "server/main.ts",
      replace: "function stop(): void {",
      by: "function stop(): void {\n  process.exit(0);",
    },
    killedBy: {
      file: "e2e/stack/stop.test.ts",
      name: "a request under way during a stop is completed",
    },
  },
  {
    name: "script-bytes-grow",
    effect: "a build's files are sent as they are",
    patch: { file: "server/build-files.ts", replace: "brotli: true,", by: "brotli: false," },
    killedBy: {
      file: "e2e/api/build-files.test.ts",
      name: "are sent precompressed, br, and are the same for everybody",
    },
  },
];
