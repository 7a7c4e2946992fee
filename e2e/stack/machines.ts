/**
 * Two machines of each kind behind a load balancer, and a stack that acts as their Supabase
 * project, with its own worker and matcher stopped.
 */
import { Balancer } from "./balancer.ts";
import { freshDataDir } from "./data-dir.ts";
import { Project } from "./project.ts";
import { Supervisor } from "./supervisor.ts";

const CONCURRENCY = {
  web: "WEB_CONCURRENCY",
  worker: "WORKER_CONCURRENCY",
  matcher: "MATCHER_CONCURRENCY",
} as const;
const SHARED = /^(SUPABASE_|DATABASE_URL|ENCRYPTION_|AUTH_|AUDIT_|NEXTAUTH_SECRET)/;
export const KINDS = ["web", "worker", "matcher"] as const;
export type Kind = (typeof KINDS)[number];

export class Machines {
  readonly dataDir: string;
  readonly project: Project;
  readonly balancer: Balancer;
  readonly #supabase: Supervisor;
  readonly #env: Record<string, string>;
  readonly #running: Record<Kind, Supervisor[]> = { web: [], worker: [], matcher: [] };

  private constructor(
    dataDir: string,
    supabase: Supervisor,
    balancer: Balancer,
    env: Record<string, string>,
  ) {
    this.dataDir = dataDir;
    this.#supabase = supabase;
    this.project = new Project(supabase, dataDir);
    this.balancer = balancer;
    const shared = Object.entries(this.project.env).filter(([name]) => SHARED.test(name));
    this.#env = {
      ...Object.fromEntries(shared),
      WEBHOOK_ALLOW_HOSTS: "127.0.0.1,localhost",
      ...env,
    };
  }

  /**
   * `settings` returns additional variables of each machine, given the balancer's URL and the
   * project's DATA_DIR.
   */
  static async start(
    settings: (url: string, dataDir: string) => Record<string, string> = () => ({}),
  ): Promise<Machines> {
    const dataDir = freshDataDir();
    const supabase = await Supervisor.ready({ DATA_DIR: dataDir });
    const balancer = await Balancer.start([]);
    const machines = new Machines(dataDir, supabase, balancer, settings(balancer.url, dataDir));
    for (const kind of ["worker", "matcher"] as const)
      process.kill(supabase.pidOf(kind), "SIGSTOP");
    await Promise.all(KINDS.flatMap((kind) => [machines.#add(kind), machines.#add(kind)]));
    return machines;
  }

  of(kind: Kind): readonly Supervisor[] {
    return this.#running[kind];
  }

  /** Kills a machine like a power failure, and starts another in its place. */
  async replace(kind: Kind): Promise<void> {
    const victim = this.#running[kind].shift();
    process.kill(victim?.pidOf(kind) ?? 0, "SIGKILL");
    await victim?.end("SIGKILL");
    await this.#add(kind);
  }

  async stop(): Promise<void> {
    this.balancer.stop();
    await Promise.all(
      KINDS.flatMap((kind) => this.#running[kind].map((supervisor) => supervisor.end("SIGTERM"))),
    );
    for (const kind of ["worker", "matcher"] as const)
      process.kill(this.#supabase.pidOf(kind), "SIGCONT");
    await this.#supabase.end("SIGTERM");
  }

  /** Adds a machine that runs one process of its kind, with only the variables that it needs. */
  async #add(kind: Kind): Promise<void> {
    const counts = Object.fromEntries(
      KINDS.map((item) => [CONCURRENCY[item], item === kind ? "1" : "0"]),
    );
    const machine = await Supervisor.ready({ ...this.#env, ...counts, DATA_DIR: freshDataDir() });
    this.#running[kind].push(machine);
    if (kind === "web") this.balancer.add(machine.port);
  }
}
