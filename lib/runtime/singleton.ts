/**
 * One value per process: the bundler may load a module once per entry, and limits, caches and
 * counters must not be duplicated.
 */
export function singleton<Value>(name: string, make: () => Value): Value {
  const registry = globalThis as unknown as Record<symbol, Value | undefined>;
  const key = Symbol.for(`tieout.${name}`);
  const existing = registry[key] ?? make();
  registry[key] = existing;
  return existing;
}

type ShutdownHook = () => Promise<void>;

/** Runs `hook` after the last request and before the process exits. */
export function onShutdown(hook: ShutdownHook): void {
  shutdownHooks().push(hook);
}

export async function shutDown(): Promise<void> {
  await Promise.allSettled(shutdownHooks().map((hook) => hook()));
}

function shutdownHooks(): ShutdownHook[] {
  return singleton("farewells", (): ShutdownHook[] => []);
}
