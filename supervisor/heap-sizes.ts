/**
 * Heap limits of each process, in MiB; ops/ and the Dockerfile set the same. The old generation is
 * limited well above what the processes need: a lower limit makes V8 collect more often, and
 * without a limit the heap grows beyond a gigabyte of garbage. A larger young generation would not
 * help, because a call's objects are dead when it ends, and a matcher stores lines in typed arrays.
 */
export const HEAP = {
  web: ["--max-old-space-size=512", "--max-semi-space-size=8"],
  worker: ["--max-old-space-size=384"],
  matcher: ["--max-old-space-size=640", "--max-semi-space-size=4"],
  "data-api": ["--max-old-space-size=384"],
};

/**
 * glibc retains freed memory in an arena per thread, which is 20 MB of a web process and grows.
 * This setting allows two arenas; other C libraries ignore it.
 */
export const MALLOC_ENV = { MALLOC_ARENA_MAX: "2" };
