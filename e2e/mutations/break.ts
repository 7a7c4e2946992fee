/** A deliberate break, and the guarantee whose test must fail. */
export type Break = {
  name: string;
  /** What is wrong after the break. */
  effect: string;
  patch: InFile | InFunction | InDatabase;
  /** The test: its file, and its full name or a part of it that no other test of the file has. */
  killedBy: { file: string; name: string };
};

/**
 * A text that occurs once in a file. `rebuild` is false if not the web app runs it, but a process
 * that reads the source.
 */
type InFile = { file: string; replace: string; by: string; rebuild?: false };

/**
 * A text that occurs once in the latest definition of a database function, anywhere below
 * `supabase/`.
 */
type InFunction = { function: string; replace: string; by: string };

/** A statement that is run last, with the owner's rights. */
type InDatabase = { statement: string };
