/**
 * Property tests use the same cases in every run, so that the gate doesn't fail by chance. Set
 * `FUZZ_SEED` to look for new ones.
 */
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env.FUZZ_SEED ?? 20261120) });
