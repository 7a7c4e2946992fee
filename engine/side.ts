/** One of the two sources that a reconciliation compares. */
export type Side = "left" | "right";

export function opposite(side: Side): Side {
  return side === "left" ? "right" : "left";
}

/** A flag for each line of both sides: 1 if the line belongs to a set. */
export type LineFlags = Record<Side, Uint8Array>;
