/** What is broken, and the guarantee that must turn red by it. */
export type Break = {
  name: string;
  /** What is wrong then. */
  is: string;
  how: InFile | InFunction | InDatabase;
  /** The test: its file, and its full name or a part of it that no other test of the file has. */
  caught: { file: string; name: string };
};

/**
 * A text of a file, which stands there once. `rebuild` false: not the web app runs it, but a
 * process that reads the source.
 */
type InFile = { file: string; replace: string; by: string; rebuild?: false };

/**
 * A text of a function of the database as it is defined last, wherever below `supabase/` that is;
 * it stands there once.
 */
type InFunction = { function: string; replace: string; by: string };

/** A statement that is run last, with the owner's rights. */
type InDatabase = { statement: string };
