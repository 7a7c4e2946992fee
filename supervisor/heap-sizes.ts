/**
 * Heap limits of each process, in MiB; ops/ and the Dockerfile set the same. The old generation is
 * limited well above what the processes need: a lower limit makes V8 collect more often, and
 * without a limit the heap grows beyond a gigabyte of garbage. A call's objects are dead when it
 * ends, and a matcher keeps lines in typed arrays, so a larger young generation would not help.
 */
export const HEAP = {
  web: ["--max-old-space-size=512", "--max-semi-space-size=8"],
  worker: ["--max-old-space-size=384"],
  matcher: ["--max-old-space-size=640", "--max-semi-space-size=4"],
  "data-api": ["--max-old-space-size=384"],
};

/**
 * glibc keeps freed memory in an arena per thread: 20 MB of a web process, growing. Two arenas
 * limit that; other C libraries ignore the setting.
 */
export const FEW_ARENAS = { MALLOC_ARENA_MAX: "2" };
