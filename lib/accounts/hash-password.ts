import { hash } from "bcryptjs";

/** The cost that Supabase Auth uses for the hashes it verifies at sign-in. */
const COST = 10;

/** Hashes with bcrypt and a salt, so that the database never sees a password. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, COST);
}
