/**
 * Heap limits of each process, in MiB; ops/ and the Dockerfile give the same. The old generation's is well above what they need: V8 collects
 * sooner the smaller the limit is, and without one the heap grows past a gigabyte of garbage. Objects of a call are dead when it ends, and a
 * matcher keeps lines in typed arrays, so a larger young generation would only be swept later.
 */
export const HEAP = {
  web: ["--max-old-space-size=512", "--max-semi-space-size=8"],
  worker: ["--max-old-space-size=384"],
  matcher: ["--max-old-space-size=640", "--max-semi-space-size=4"],
  "data-api": ["--max-old-space-size=384"],
};

/** For glibc, which keeps what was freed in an arena for each thread: 20 MB of a web process, growing. Elsewhere without effect. */
export const FEW_ARENAS = { MALLOC_ARENA_MAX: "2" };
