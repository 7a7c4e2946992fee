/**
 * Where a run is, in steps of its present stage. Between two of these a caller may do other work, a
 * heartbeat for instance.
 */
export type Progress = { stage: string; done: number; total: number };
