/** One of the two sources that a reconciliation compares. */
export type Side = "left" | "right";

export function opposite(side: Side): Side {
  return side === "left" ? "right" : "left";
}
