export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[];
type Verb = { Args: { input: Json; request: Json }; Returns: Json };
export type Database = {
  public: {
    Tables: Record<never, never>;
    Views: Record<never, never>;
    Functions: {
      create_exception: Verb; get_exception: Verb; update_exception: Verb; list_exceptions: Verb; list_sla_exceptions: Verb; get_me: Verb;
      create_api_key: Verb; rotate_api_key: Verb; revoke_api_key: Verb; update_api_key: Verb; get_api_key: Verb; list_api_keys: Verb; get_api_key_usage: Verb; list_api_key_calls: Verb;
      find_api_key: { Args: { key_id: string }; Returns: Json }; record_api_key_usage: { Args: { batch: string; rows: Json }; Returns: undefined };
      worker_silence_seconds: { Args: never; Returns: number };
    };
    Enums: Record<never, never>;
    CompositeTypes: Record<never, never>;
  };
};
