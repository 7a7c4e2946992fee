/** Prints what the walk measured, the heaviest views first. */
import type { Reporter, TestCase, TestResult } from "@playwright/test/reporter";
import { FIGURES } from "./figures.ts";

export default class FiguresReporter implements Reporter {
  readonly #rows: { view: string; script_kb: number }[] = [];

  onTestEnd(test: TestCase, { annotations }: TestResult): void {
    const figures = annotations.find(({ type }) => type === FIGURES)?.description;
    if (figures) this.#rows.push({ view: test.title, ...JSON.parse(figures) });
  }

  onEnd(): void {
    if (this.#rows.length > 0) console.table(this.#rows.sort((left, right) => right.script_kb - left.script_kb));
  }
}
