/**
 * Prints the walk's measurements, views with the most script first, and the counted actions of each
 * session.
 */
import type { Reporter, TestCase, TestResult } from "@playwright/test/reporter";
import { FIGURES, SESSION } from "./figures.ts";

export default class FiguresReporter implements Reporter {
  readonly #rows: { view: string; script_kb: number }[] = [];
  readonly #sessions: { session: string }[] = [];

  onTestEnd(test: TestCase, { annotations }: TestResult): void {
    const figures = annotations.find(({ type }) => type === FIGURES)?.description;
    const session = annotations.find(({ type }) => type === SESSION)?.description;
    if (session) this.#sessions.push({ session: test.title, ...JSON.parse(session) });
    if (figures) this.#rows.push({ view: test.title, ...JSON.parse(figures) });
  }

  onEnd(): void {
    if (this.#rows.length > 0)
      console.table(this.#rows.sort((left, right) => right.script_kb - left.script_kb));
    if (this.#sessions.length > 0) console.table(this.#sessions);
  }
}
