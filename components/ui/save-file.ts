const READ_TIMEOUT_MS = 60_000;

/** Downloads a file. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser reads it asynchronously after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), READ_TIMEOUT_MS);
}
