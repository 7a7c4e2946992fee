import { hash } from "bcryptjs";

/** As Supabase Auth hashes: what it verifies at sign-in. */
const COST = 10;

/** The database never sees a password: bcrypt, salted. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, COST);
}
