import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { StallAwareClock } from "./stall-aware-clock.ts";

let clock: number;
let time: StallAwareClock;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  clock = 0;
  time = new StallAwareClock(() => clock);
});
afterEach(() => {
  time.end();
  vi.useRealTimers();
});

function run(ms: number): void {
  for (let passed = 0; passed < ms; passed += 50) {
    clock += 50;
    vi.advanceTimersByTime(50);
  }
}

/**
 * Stalls as SIGSTOP does: the clock continues, and every timer that became due fires right
 * afterwards.
 */
function stall(ms: number): void {
  clock += ms;
  vi.advanceTimersByTime(ms);
}

describe("a clock that excludes stalls", () => {
  test("equals real time while the process runs", () => {
    const stopwatch = time.stopwatch();
    run(10_000);
    expect(stopwatch()).toEqual({ ranMs: 10_000, stalledMs: 0 });
  });

  test("excludes a stall and reports its duration", () => {
    const stopwatch = time.stopwatch();
    run(2_000);
    stall(40_000);
    run(1_000);
    expect(stopwatch()).toEqual({ ranMs: 4_000, stalledMs: 39_000 });
  });

  test("times out by its own time, not because of a stall", () => {
    const { signal } = time.timeout(15_000);
    run(2_000);
    stall(40_000);
    expect(signal.aborted).toBe(false);
    run(11_000);
    expect(signal.aborted).toBe(false);
    run(1_500);
    expect(signal.reason).toMatchObject({ name: "TimeoutError" });
  });

  test("does not time out after it was released", () => {
    const { signal, release } = time.timeout(50);
    release();
    run(1_000);
    expect(signal.aborted).toBe(false);
  });
});
