/** The cost of a visit, as the browser measures it. */
import type { Page } from "@playwright/test";

/** The annotation that a visit leaves in the report. */
export const FIGURES = "figures";

/** The annotation of a person's complete session. */
export const SESSION = "session";

export type Figures = {
  first_paint_ms: number;
  largest_paint_ms: number;
  layout_shift: number;
  blocked_ms: number;
  script_kb: number;
};

/** Browsers report a task of at least this duration as a long task. */
export const LONG_TASK_MS = 50;

/**
 * @returns a function that reads the CPU time of the page's main thread so far, in milliseconds.
 * Other load on the machine doesn't count.
 */
export async function trackMainThread(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1000;
  };
}

/** TypeScript's DOM types have no layout shifts. */
interface LayoutShift extends PerformanceEntry {
  value: number;
  hadRecentInput: boolean;
  sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[];
}

declare global {
  interface Window {
    figures: { largestPaint: number; layoutShift: number; moved: string[]; blocked: number };
  }
}

/**
 * Measures a page from before its first script on: an argument of `addInitScript`. Blocked time is
 * the part of each task beyond 50 ms.
 */
export function recordFigures(): void {
  const seen = { largestPaint: 0, layoutShift: 0, moved: [] as string[], blocked: 0 };
  window.figures = seen;
  const observe = (type: string, handle: (entry: never) => void) =>
    new PerformanceObserver((list) =>
      list.getEntries().forEach((entry) => void handle(entry as never)),
    ).observe({ type, buffered: true });
  observe("largest-contentful-paint", ({ startTime }: PerformanceEntry) => {
    seen.largestPaint = startTime;
  });
  observe("layout-shift", ({ value, hadRecentInput, sources, startTime }: LayoutShift) => {
    if (hadRecentInput) return;
    seen.layoutShift += value;
    for (const { node, previousRect, currentRect } of sources)
      seen.moved.push(
        `${Math.round(startTime)} ms, ${value.toFixed(3)}: ` +
          `${node instanceof Element ? node.outerHTML.slice(0, 120) : node?.textContent?.trim()} ` +
          `from ${placeOf(previousRect)} to ${placeOf(currentRect)}`,
      );
  });
  function placeOf({ x, y, width, height }: DOMRectReadOnly): string {
    return [x, y, width, height].map(Math.round).join(" ");
  }
  observe("longtask", ({ duration }: PerformanceEntry) => {
    seen.blocked += Math.max(0, duration - 50);
  });
}

/** The elements that have moved so far, and how far, for a failure message. */
export function movedElements(page: Page): Promise<string[]> {
  return page.evaluate(() => window.figures.moved);
}

/** The figures so far. Scripts count with their compressed size, also if they were cached. */
export function figuresOf(page: Page): Promise<Figures> {
  return page.evaluate(() => {
    const scripts = performance
      .getEntriesByType("resource")
      .filter(({ name }) => new URL(name).pathname.endsWith(".js"));
    const bytes = scripts.reduce(
      (sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize,
      0,
    );
    const { largestPaint, layoutShift, blocked } = window.figures;
    return {
      first_paint_ms: Math.round(
        performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
      ),
      largest_paint_ms: Math.round(largestPaint),
      layout_shift: Math.round(layoutShift * 1000) / 1000,
      blocked_ms: Math.round(blocked),
      script_kb: Math.round(bytes / 100) / 10,
    };
  });
}
