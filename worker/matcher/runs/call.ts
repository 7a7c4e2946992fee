/** Runs queries: a client of pg, or a job's helpers. */
export type Caller = { query: (text: string, values: unknown[]) => Promise<{ rows: unknown[] }> };

/**
 * Calls a function of the private schema with named arguments.
 * @returns the function's rows; for a function that returns one value, a row with one column, which
 *   is named after the function
 */
export async function call<Row extends object>(
  client: Caller,
  name: string,
  args: Record<string, unknown>,
): Promise<Row[]> {
  const list = Object.keys(args).map((argument, index) => `${argument} => $${index + 1}`);
  const { rows } = await client.query(
    `select * from private.${name}(${list.join(", ")})`,
    Object.values(args),
  );
  return rows as Row[];
}

/** Calls a function that returns one value. */
export async function callForValue<Value>(
  client: Caller,
  name: string,
  args: Record<string, unknown>,
): Promise<Value> {
  const [row] = await call<Record<string, Value>>(client, name, args);
  return row?.[name] as Value;
}
