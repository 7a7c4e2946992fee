import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { until } from "#e2e/until.ts";

export const MAIN = join(import.meta.dirname, "../../../sdk/cli/src/main.ts");

export type Result = { code: number | null; stdout: string; stderr: string };

type AtTerminal = { columns?: number; colors?: boolean; cwd?: string };

/** Runs the real command as one caller. */
export class Cli {
  readonly #env: Record<string, string>;

  constructor(env: Record<string, string>) {
    this.#env = env;
  }

  async run(args: string[], input = ""): Promise<Result> {
    const started = this.start(args);
    started.child.stdin?.end(input);
    return started.ended;
  }

  /** The output of `--json`. @throws if the command fails */
  async json<Value>(...args: string[]): Promise<Value> {
    const { code, stdout, stderr } = await this.run([...args, "--json"]);
    if (code !== 0) throw new Error(`tieout ${args.join(" ")} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  }

  /** Runs the command at a terminal, where it prompts. Without `colors`, NO_COLOR is set. */
  startAtTerminal(
    args: string[],
    { columns = 120, colors = false, cwd }: AtTerminal = {},
  ): Started {
    const { PATH, NODE_ENV } = process.env;
    const command = [process.execPath, MAIN, ...args].map((value) => `'${value}'`).join(" ");
    return new Started(
      spawn("script", ["-qec", `stty cols ${columns} rows 40 && ${command}`, "/dev/null"], {
        cwd,
        env: {
          ...{ PATH, NODE_ENV, TERM: "xterm-256color" },
          ...(!colors && { NO_COLOR: "1" }),
          ...this.#env,
        },
      }),
    );
  }

  start(args: string[]): Started {
    const { PATH, NODE_ENV } = process.env;
    return new Started(
      spawn(process.execPath, [MAIN, ...args], {
        env: { PATH, NODE_ENV, NO_COLOR: "1", ...this.#env },
      }),
    );
  }
}

/** A running command. */
export class Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Result>;
  stdout = "";
  stderr = "";

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.setEncoding("utf8").on("data", (part) => {
      this.stdout += part;
    });
    child.stderr?.setEncoding("utf8").on("data", (part) => {
      this.stderr += part;
    });
    this.ended = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve({ code, stdout: this.stdout, stderr: this.stderr }));
    });
  }

  async prints(text: string): Promise<void> {
    await until(`it prints ${text}`, async () => `${this.stdout}${this.stderr}`.includes(text));
  }

  /** Stops the command as Ctrl-C does. */
  stop(): Promise<Result> {
    this.child.kill("SIGINT");
    return this.ended;
  }
}
