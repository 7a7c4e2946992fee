/**
 * Waits for both, even if one fails, because its caller must not close a connection that the other
 * still uses.
 */
export async function settleBoth<One, Other>(
  one: Promise<One>,
  other: Promise<Other> | Other,
): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}
