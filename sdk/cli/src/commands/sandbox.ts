import { connect, type GlobalOptions } from "../connection.ts";
import { facts, print } from "../output.ts";

/** Empties the sandbox of the profile; the server refuses a live tenant. */
export async function resetSandbox(options: GlobalOptions & { sample?: boolean }): Promise<void> {
  const { tieout } = await connect(options);
  const done = await tieout.sandbox.reset({ sample: options.sample === true });
  print(
    options,
    done,
    facts([
      ["Reset", done.tenant_id],
      ["Sample", done.reconciliation_id],
    ]),
  );
}
