/** Properties are tried with the same cases in every run: new ones are looked for by `FUZZ_SEED`, not by chance at the gate. */
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env.FUZZ_SEED ?? 20261120) });
