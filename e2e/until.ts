type Falsy = false | null | undefined | 0 | "";

/** Waits for a condition: calls `check` until it answers something true. @throws Error after `within_ms`. */
export async function until<Value>(what: string, check: () => Promise<Value>, within_ms = 10_000): Promise<Exclude<Value, Falsy>> {
  for (const deadline = performance.now() + within_ms; ; ) {
    const value = await check();
    if (value) return value as Exclude<Value, Falsy>;
    if (performance.now() > deadline) throw new Error(`Waited ${within_ms} ms in vain until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
