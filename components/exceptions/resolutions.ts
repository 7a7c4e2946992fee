/** The most common reasons for closing an exception. Others are typed. */
export const RESOLUTIONS = [
  "Matched by hand",
  "Timing difference, settles next period",
  "Fee booked",
  "Duplicate of another exception",
  "Corrected at the source",
  "Written off",
] as const;
