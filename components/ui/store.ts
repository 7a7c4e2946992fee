import { useSyncExternalStore } from "react";

/** A value outside of React that components follow: what outlives a page, or is set by what is no component. */
export type Store<Value> = { get: () => Value; set: (next: Value) => void; subscribe: (listener: () => void) => () => void };

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

/** `onServer`: what stands for the value in the server's HTML, where nobody has set it. */
export function useStore<Value>({ get, subscribe }: Store<Value>, onServer: Value): Value {
  return useSyncExternalStore(subscribe, get, () => onServer);
}
