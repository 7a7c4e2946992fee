/** Something that a background process does all the time. */
export type Service = {
  readonly name: string;
  /** Whether it does its work. */
  readonly healthy: boolean;
  /** Whether it will not work again in this process, though the database can be reached. */
  readonly stuck: boolean;
  stop: () => Promise<void>;
};

/** Who has made no step for so long does not do its work, whatever else its process does. */
export const LATE_MS = 15_000;
