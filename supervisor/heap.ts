/**
 * What each process's heap may hold, in MiB; ops/ and the Dockerfile give the same. Its old generation well above what they need: V8 collects sooner
 * the smaller the bound is, and grows past a gigabyte of what nobody uses where there is none. What a call makes is dead when it ends, and what a
 * matcher keeps of lines is in typed arrays: a larger young generation would only wait longer to be swept.
 */
export const HEAP = {
  web: ["--max-old-space-size=512", "--max-semi-space-size=8"],
  worker: ["--max-old-space-size=384"],
  matcher: ["--max-old-space-size=640", "--max-semi-space-size=4"],
  "data-api": ["--max-old-space-size=384"],
};
