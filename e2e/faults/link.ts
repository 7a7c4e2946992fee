/**
 * The network between a service and its database: it can stall, be slow, or lose connections
 * silently.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

type Ends = { from: Socket; to: Socket };

export class Link {
  readonly #server = createServer((client) => this.#join(client));
  readonly #target: URL;
  readonly #joined = new Set<Ends>();
  readonly #dead = new Set<Ends>();
  #stalled: PromiseWithResolvers<void> | undefined;
  #delayMs = 0;

  private constructor(databaseUrl: string) {
    this.#target = new URL(databaseUrl);
  }

  static async to(databaseUrl: string): Promise<Link> {
    const link = new Link(databaseUrl);
    link.#server.listen(0, "127.0.0.1");
    await once(link.#server, "listening");
    return link;
  }

  /** A URL of the same database, through this link. */
  through(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.hostname = "127.0.0.1";
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  /** Stalls: connections are accepted, but all data arrives only after `resume`. */
  pause(): void {
    this.#stalled ??= Promise.withResolvers();
  }

  resume(): void {
    this.#stalled?.resolve();
    this.#stalled = undefined;
  }

  /** Delays each message by this time, in both directions. */
  slowDown(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /**
   * Silently drops everything sent on the existing connections; new ones work. @returns how many
   * there were
   */
  loseConnections(): number {
    for (const ends of this.#joined) this.#dead.add(ends);
    return this.#joined.size;
  }

  /** Closes the existing connections; new ones work. */
  cutConnections(): void {
    for (const { from, to } of [...this.#joined]) for (const end of [from, to]) end.destroy();
  }

  stop(): void {
    this.resume();
    this.#server.close();
    this.cutConnections();
  }

  #join(client: Socket): void {
    const upstream = connect(Number(this.#target.port || 5432), this.#target.hostname);
    const ends = { from: client, to: upstream };
    this.#joined.add(ends);
    this.#forward(client, upstream, ends);
    this.#forward(upstream, client, ends);
    for (const end of [client, upstream]) {
      end.on("error", () => {});
      end.once("close", () => {
        this.#joined.delete(ends);
        if (!this.#dead.delete(ends) || end === client)
          for (const socket of [client, upstream]) socket.destroy();
      });
    }
  }

  /** Forwards data in order, even if parts of it are delayed. */
  #forward(from: Socket, to: Socket, ends: Ends): void {
    let before: Promise<unknown> = Promise.resolve();
    from.on("data", (chunk) => {
      const due =
        this.#delayMs > 0 ? new Promise((resume) => setTimeout(resume, this.#delayMs)) : undefined;
      before = before
        .then(() => due)
        .then(async () => {
          while (this.#stalled) await this.#stalled.promise;
          if (!this.#dead.has(ends) && !to.destroyed) to.write(chunk);
        });
    });
    from.on("end", () => void before.then(() => to.end()));
  }
}
