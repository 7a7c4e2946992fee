/**
 * One value per process. The bundler may load a module once per entry; limits, caches and counters must not multiply with it.
 */
export function singleton<Value>(name: string, make: () => Value): Value {
  const registry = globalThis as unknown as Record<symbol, Value | undefined>;
  const key = Symbol.for(`tieout.${name}`);
  const existing = registry[key] ?? make();
  registry[key] = existing;
  return existing;
}

type ShutdownHook = () => Promise<void>;

/** Has `farewell` run after the last request and before the process ends. */
export function onShutdown(farewell: ShutdownHook): void {
  shutdownHooks().push(farewell);
}

export async function shutDown(): Promise<void> {
  await Promise.allSettled(shutdownHooks().map((farewell) => farewell()));
}

function shutdownHooks(): ShutdownHook[] {
  return singleton("farewells", (): ShutdownHook[] => []);
}
