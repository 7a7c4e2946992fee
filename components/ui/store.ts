import { useSyncExternalStore } from "react";

/**
 * A value outside React that components subscribe to, because it outlives pages or is set outside
 * components.
 */
export type Store<Value> = {
  get: () => Value;
  set: (next: Value) => void;
  subscribe: (listener: () => void) => () => void;
};

export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const notify of listeners) notify();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** `onServer`: the value during server rendering. */
export function useStore<Value>({ get, subscribe }: Store<Value>, onServer: Value): Value {
  return useSyncExternalStore(subscribe, get, () => onServer);
}
