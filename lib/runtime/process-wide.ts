/**
 * One value per process. The bundler may load a module once per entry; limits, caches and counters must not multiply with it.
 */
export function processWide<Value>(name: string, make: () => Value): Value {
  const registry = globalThis as unknown as Record<symbol, Value | undefined>;
  const key = Symbol.for(`tieout.${name}`);
  const existing = registry[key] ?? make();
  registry[key] = existing;
  return existing;
}

type Farewell = () => Promise<void>;

/** Has `farewell` run after the last request and before the process ends. */
export function onShutdown(farewell: Farewell): void {
  farewells().push(farewell);
}

export async function shutDown(): Promise<void> {
  await Promise.allSettled(farewells().map((farewell) => farewell()));
}

function farewells(): Farewell[] {
  return processWide("farewells", (): Farewell[] => []);
}
