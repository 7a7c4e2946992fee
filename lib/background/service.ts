/** Something that a background process runs continuously. */
export type Service = {
  readonly name: string;
  /** Whether it makes progress. */
  readonly healthy: boolean;
  /** Whether it can't recover in this process although the database is reachable. */
  readonly stuck: boolean;
  stop: () => Promise<void>;
};

/** A service without progress for 15 s is unhealthy. */
export const LATE_MS = 15_000;
