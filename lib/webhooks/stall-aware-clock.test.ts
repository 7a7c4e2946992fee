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

/** As SIGSTOP does it: the clock goes on, and every timer that was due meanwhile fires at once after. */
function standStill(ms: number): void {
  clock += ms;
  vi.advanceTimersByTime(ms);
}

describe("time as far as the process ran", () => {
  test("is the time that passed while it did not stand still", () => {
    const stopwatch = time.stopwatch();
    run(10_000);
    expect(stopwatch()).toEqual({ ranMs: 10_000, stoodStillMs: 0 });
  });

  test("leaves out for how long it stood still, and says so", () => {
    const stopwatch = time.stopwatch();
    run(2_000);
    standStill(40_000);
    run(1_000);
    expect(stopwatch()).toEqual({ ranMs: 4_000, stoodStillMs: 39_000 });
  });

  test("times out by it: not because it stood still, but after", () => {
    const { signal } = time.timeout(15_000);
    run(2_000);
    standStill(40_000);
    expect(signal.aborted).toBe(false);
    run(11_000);
    expect(signal.aborted).toBe(false);
    run(1_500);
    expect(signal.reason).toMatchObject({ name: "TimeoutError" });
  });

  test("does not time out once it is released", () => {
    const { signal, release } = time.timeout(50);
    release();
    run(1_000);
    expect(signal.aborted).toBe(false);
  });
});
