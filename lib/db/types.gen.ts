export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[];
type Verb = { Args: { input: Json; request: Json }; Returns: Json };
export type Database = {
  public: {
    Tables: Record<never, never>;
    Views: Record<never, never>;
    Functions: {
      create_exception: Verb; get_exception: Verb; update_exception: Verb; list_exceptions: Verb; list_sla_exceptions: Verb; get_me: Verb;
      worker_silence_seconds: { Args: never; Returns: number };
    };
    Enums: Record<never, never>;
    CompositeTypes: Record<never, never>;
  };
};
