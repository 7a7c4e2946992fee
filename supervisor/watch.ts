import { watch } from "node:fs";
import { fileURLToPath } from "node:url";

const DEBOUNCE_MS = 200;
const SOURCE = /(?<!\.test)\.ts$/;

/** Calls back after sources in the folders changed and no further change followed for 200 ms. */
export function onSourceChange(folders: string[], changed: () => void): void {
  let timer: NodeJS.Timeout | undefined;
  for (const folder of folders) {
    watch(
      fileURLToPath(new URL(`../${folder}`, import.meta.url)),
      { recursive: true },
      (_event, file) => {
        if (!file || !SOURCE.test(file)) return;
        clearTimeout(timer);
        timer = setTimeout(changed, DEBOUNCE_MS);
      },
    );
  }
}
