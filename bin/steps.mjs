/**
 * Shows in a terminal what `npm start` is doing: a line per step with a spinner and its seconds.
 * Elsewhere nothing is shown. It needs no packages, because they are not installed yet.
 */
const FRAMES = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];
const FRAME_MS = 100;

export const showsSteps = process.stdout.isTTY === true;

/** Runs `work` as a step. @returns its result @throws its error */
export async function step(label, work) {
  if (!showsSteps) return work();
  const began = performance.now();
  let frame = 0;
  const draw = (mark) => {
    const seconds = Math.round((performance.now() - began) / 1000);
    process.stdout.write(`\r\x1b[2K  ${mark} ${label} \x1b[2m${seconds} s\x1b[22m`);
  };
  const timer = setInterval(() => draw(FRAMES[frame++ % FRAMES.length]), FRAME_MS);
  draw(FRAMES[0]);
  try {
    const result = await work();
    draw("\x1b[32m✓\x1b[39m");
    return result;
  } catch (error) {
    draw("\x1b[31m✗\x1b[39m");
    throw error;
  } finally {
    clearInterval(timer);
    process.stdout.write("\n");
  }
}
