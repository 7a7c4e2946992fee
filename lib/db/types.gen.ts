export type Json =
  | string
  | number
  | boolean
  | null
  | { [key: string]: Json | undefined }
  | Json[]

export type Database = {
  public: {
    Tables: {
      api_key_totals: {
        Row: {
          api_key_id: string
          last_used_at: string
          last_used_ip: unknown
          request_count: number
          tenant_id: string
        }
        Insert: {
          api_key_id: string
          last_used_at: string
          last_used_ip?: unknown
          request_count: number
          tenant_id: string
        }
        Update: {
          api_key_id?: string
          last_used_at?: string
          last_used_ip?: unknown
          request_count?: number
          tenant_id?: string
        }
        Relationships: [
          {
            foreignKeyName: "api_key_totals_tenant_id_api_key_id_fkey"
            columns: ["tenant_id", "api_key_id"]
            isOneToOne: false
            referencedRelation: "api_keys"
            referencedColumns: ["tenant_id", "id"]
          },
        ]
      }
      api_key_usage_daily: {
        Row: {
          api_key_id: string
          calls: number
          day: string
          operation: string
          outcome: string
          tenant_id: string
        }
        Insert: {
          api_key_id: string
          calls: number
          day: string
          operation: string
          outcome: string
          tenant_id: string
        }
        Update: {
          api_key_id?: string
          calls?: number
          day?: string
          operation?: string
          outcome?: string
          tenant_id?: string
        }
        Relationships: [
          {
            foreignKeyName: "api_key_usage_daily_tenant_id_api_key_id_fkey"
            columns: ["tenant_id", "api_key_id"]
            isOneToOne: false
            referencedRelation: "api_keys"
            referencedColumns: ["tenant_id", "id"]
          },
        ]
      }
      api_key_usage_hourly: {
        Row: {
          address: unknown
          api_key_id: string
          calls: number
          hour: string
          last_seen_at: string
          operation: string
          outcome: string
          tenant_id: string
        }
        Insert: {
          address: unknown
          api_key_id: string
          calls: number
          hour: string
          last_seen_at: string
          operation: string
          outcome: string
          tenant_id: string
        }
        Update: {
          address?: unknown
          api_key_id?: string
          calls?: number
          hour?: string
          last_seen_at?: string
          operation?: string
          outcome?: string
          tenant_id?: string
        }
        Relationships: [
          {
            foreignKeyName: "api_key_usage_hourly_tenant_id_api_key_id_fkey"
            columns: ["tenant_id", "api_key_id"]
            isOneToOne: false
            referencedRelation: "api_keys"
            referencedColumns: ["tenant_id", "id"]
          },
        ]
      }
      api_keys: {
        Row: {
          created_at: string
          created_by: string
          description: string | null
          expires_at: string | null
          grace_expires_at: string | null
          id: string
          ip_allowlist: string[]
          key_id: string
          lineage_id: string
          name: string
          revoke_reason: string | null
          revoked_at: string | null
          revoked_by: string | null
          rotated_from: string | null
          rotated_to: string | null
          scopes: string[]
          tenant_id: string
          updated_at: string
        }
        Insert: {
          created_at?: string
          created_by?: string
          description?: string | null
          expires_at?: string | null
          grace_expires_at?: string | null
          id?: string
          ip_allowlist?: string[]
          key_id: string
          lineage_id: string
          name: string
          revoke_reason?: string | null
          revoked_at?: string | null
          revoked_by?: string | null
          rotated_from?: string | null
          rotated_to?: string | null
          scopes: string[]
          tenant_id?: string
          updated_at?: string
        }
        Update: {
          created_at?: string
          created_by?: string
          description?: string | null
          expires_at?: string | null
          grace_expires_at?: string | null
          id?: string
          ip_allowlist?: string[]
          key_id?: string
          lineage_id?: string
          name?: string
          revoke_reason?: string | null
          revoked_at?: string | null
          revoked_by?: string | null
          rotated_from?: string | null
          rotated_to?: string | null
          scopes?: string[]
          tenant_id?: string
          updated_at?: string
        }
        Relationships: [
          {
            foreignKeyName: "api_keys_tenant_id_fkey"
            columns: ["tenant_id"]
            isOneToOne: false
            referencedRelation: "tenants"
            referencedColumns: ["id"]
          },
          {
            foreignKeyName: "api_keys_tenant_id_rotated_from_fkey"
            columns: ["tenant_id", "rotated_from"]
            isOneToOne: false
            referencedRelation: "api_keys"
            referencedColumns: ["tenant_id", "id"]
          },
          {
            foreignKeyName: "api_keys_tenant_id_rotated_to_fkey"
            columns: ["tenant_id", "rotated_to"]
            isOneToOne: false
            referencedRelation: "api_keys"
            referencedColumns: ["tenant_id", "id"]
          },
        ]
      }
      events: {
        Row: {
          at: string
          data: NonNullable<Json>
          id: string
          once_key: string | null
          tenant_id: string
          type: string
        }
        Insert: {
          at?: string
          data: NonNullable<Json>
          id?: string
          once_key?: string | null
          tenant_id: string
          type: string
        }
        Update: {
          at?: string
          data?: NonNullable<Json>
          id?: string
          once_key?: string | null
          tenant_id?: string
          type?: string
        }
        Relationships: [
          {
            foreignKeyName: "events_tenant_id_fkey"
            columns: ["tenant_id"]
            isOneToOne: false
            referencedRelation: "tenants"
            referencedColumns: ["id"]
          },
        ]
      }
      exception_history: {
        Row: {
          actor: string
          actor_issuer: string | null
          actor_subject: string | null
          at: string
          changes: NonNullable<Json>
          exception_id: string
          id: number
          kind: string
          request_id: string | null
          tenant_id: string
        }
        Insert: {
          actor?: string
          actor_issuer?: string | null
          actor_subject?: string | null
          at?: string
          changes: NonNullable<Json>
          exception_id: string
          id?: never
          kind: string
          request_id?: string | null
          tenant_id: string
        }
        Update: {
          actor?: string
          actor_issuer?: string | null
          actor_subject?: string | null
          at?: string
          changes?: NonNullable<Json>
          exception_id?: string
          id?: never
          kind?: string
          request_id?: string | null
          tenant_id?: string
        }
        Relationships: []
      }
      exception_ledger: {
        Row: {
          actor: string
          actor_issuer: string | null
          actor_subject: string | null
          at: string
          due_at: string
          exception_id: string
          id: number
          kind: string
          request_id: string | null
          tenant_id: string
          threshold_minutes: number | null
        }
        Insert: {
          actor?: string
          actor_issuer?: string | null
          actor_subject?: string | null
          at?: string
          due_at: string
          exception_id: string
          id?: never
          kind: string
          request_id?: string | null
          tenant_id: string
          threshold_minutes?: number | null
        }
        Update: {
          actor?: string
          actor_issuer?: string | null
          actor_subject?: string | null
          at?: string
          due_at?: string
          exception_id?: string
          id?: never
          kind?: string
          request_id?: string | null
          tenant_id?: string
          threshold_minutes?: number | null
        }
        Relationships: []
      }
      exceptions: {
        Row: {
          amount_minor: number | null
          assigned_to: string | null
          closed_at: string | null
          created_at: string
          created_by: string
          currency: string | null
          details: NonNullable<Json>
          due_at: string
          due_from_policy: boolean
          id: string
          reason_code: string | null
          reconciliation_id: string | null
          resolution: string | null
          severity: string
          severity_rank: number
          status: string
          tenant_id: string
          title: string
          updated_at: string
        }
        Insert: {
          amount_minor?: number | null
          assigned_to?: string | null
          closed_at?: string | null
          created_at?: string
          created_by?: string
          currency?: string | null
          details?: NonNullable<Json>
          due_at: string
          due_from_policy?: boolean
          id?: string
          reason_code?: string | null
          reconciliation_id?: string | null
          resolution?: string | null
          severity: string
          severity_rank?: never
          status?: string
          tenant_id?: string
          title: string
          updated_at?: string
        }
        Update: {
          amount_minor?: number | null
          assigned_to?: string | null
          closed_at?: string | null
          created_at?: string
          created_by?: string
          currency?: string | null
          details?: NonNullable<Json>
          due_at?: string
          due_from_policy?: boolean
          id?: string
          reason_code?: string | null
          reconciliation_id?: string | null
          resolution?: string | null
          severity?: string
          severity_rank?: never
          status?: string
          tenant_id?: string
          title?: string
          updated_at?: string
        }
        Relationships: [
          {
            foreignKeyName: "exceptions_tenant_id_fkey"
            columns: ["tenant_id"]
            isOneToOne: false
            referencedRelation: "tenants"
            referencedColumns: ["id"]
          },
          {
            foreignKeyName: "exceptions_tenant_id_reconciliation_id_fkey"
            columns: ["tenant_id", "reconciliation_id"]
            isOneToOne: false
            referencedRelation: "reconciliations"
            referencedColumns: ["tenant_id", "id"]
          },
        ]
      }
      first_steps_dismissals: {
        Row: {
          dismissed_at: string
          principal_id: string
          tenant_id: string
        }
        Insert: {
          dismissed_at?: string
          principal_id?: string
          tenant_id?: string
        }
        Update: {
          dismissed_at?: string
          principal_id?: string
          tenant_id?: string
        }
        Relationships: [
          {
            foreignKeyName: "first_steps_dismissals_tenant_id_fkey"
            columns: ["tenant_id"]
            isOneToOne: false
            referencedRelation: "tenants"
            referencedColumns: ["id"]
          },
        ]
      }
      reconciliations: {
        Row: {
          created_at: string
          created_by: string
          id: string
          left_source: string
          matched_count: number
          name: string
          period_end: string
          period_start: string
          right_source: string
          status: string
          tenant_id: string
          unmatched_count: number
          updated_at: string
        }
        Insert: {
          created_at?: string
          created_by?: string
          id?: string
          left_source: string
          matched_count?: number
          name: string
          period_end: string
          period_start: string
          right_source: string
          status?: string
          tenant_id?: string
          unmatched_count?: number
          updated_at?: string
        }
        Update: {
          created_at?: string
          created_by?: string
          id?: string
          left_source?: string
          matched_count?: number
          name?: string
          period_end?: string
          period_start?: string
          right_source?: string
          status?: string
          tenant_id?: string
          unmatched_count?: number
          updated_at?: string
        }
        Relationships: [
          {
            foreignKeyName: "reconciliations_tenant_id_fkey"
            columns: ["tenant_id"]
            isOneToOne: false
            referencedRelation: "tenants"
            referencedColumns: ["id"]
          },
        ]
      }
      records: {
        Row: {
          created_at: string
          created_by: string
          data: NonNullable<Json>
          deleted_at: string | null
          id: string
          operation: string | null
          published: boolean
          search: unknown
          surface: string
          tenant_id: string
          updated_at: string
          version: number
        }
        Insert: {
          created_at?: string
          created_by?: string
          data: NonNullable<Json>
          deleted_at?: string | null
          id?: string
          operation?: never
          published?: never
          search?: never
          surface: string
          tenant_id?: string
          updated_at?: string
          version?: number
        }
        Update: {
          created_at?: string
          created_by?: string
          data?: NonNullable<Json>
          deleted_at?: string | null
          id?: string
          operation?: never
          published?: never
          search?: never
          surface?: string
          tenant_id?: string
          updated_at?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: "records_tenant_id_fkey"
            columns: ["tenant_id"]
            isOneToOne: false
            referencedRelation: "tenants"
            referencedColumns: ["id"]
          },
        ]
      }
      security_events: {
        Row: {
          actor: string
          actor_issuer: string | null
          actor_subject: string | null
          address: unknown
          at: string
          chain: string
          credential: string
          cross_tenant: boolean
          details: NonNullable<Json>
          hash: string | null
          home_tenant_id: string | null
          id: string
          operation: string | null
          prev_hash: string | null
          reason: string | null
          request_id: string | null
          seq: number | null
          target: string | null
          tenant_id: string | null
          type: string
        }
        Insert: {
          actor: string
          actor_issuer?: string | null
          actor_subject?: string | null
          address?: unknown
          at?: string
          chain?: never
          credential: string
          cross_tenant?: boolean
          details?: NonNullable<Json>
          hash?: string | null
          home_tenant_id?: string | null
          id?: string
          operation?: string | null
          prev_hash?: string | null
          reason?: string | null
          request_id?: string | null
          seq?: number | null
          target?: string | null
          tenant_id?: string | null
          type: string
        }
        Update: {
          actor?: string
          actor_issuer?: string | null
          actor_subject?: string | null
          address?: unknown
          at?: string
          chain?: never
          credential?: string
          cross_tenant?: boolean
          details?: NonNullable<Json>
          hash?: string | null
          home_tenant_id?: string | null
          id?: string
          operation?: string | null
          prev_hash?: string | null
          reason?: string | null
          request_id?: string | null
          seq?: number | null
          target?: string | null
          tenant_id?: string | null
          type?: string
        }
        Relationships: [
          {
            foreignKeyName: "security_events_tenant_id_fkey"
            columns: ["tenant_id"]
            isOneToOne: false
            referencedRelation: "tenants"
            referencedColumns: ["id"]
          },
        ]
      }
      sla_policies: {
        Row: {
          at_risk_thresholds: number[]
          critical_minutes: number
          high_minutes: number
          low_minutes: number
          medium_minutes: number
          tenant_id: string
          updated_at: string
          updated_by: string
          version: number
        }
        Insert: {
          at_risk_thresholds?: number[]
          critical_minutes?: number
          high_minutes?: number
          low_minutes?: number
          medium_minutes?: number
          tenant_id: string
          updated_at?: string
          updated_by?: string
          version?: number
        }
        Update: {
          at_risk_thresholds?: number[]
          critical_minutes?: number
          high_minutes?: number
          low_minutes?: number
          medium_minutes?: number
          tenant_id?: string
          updated_at?: string
          updated_by?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: "sla_policies_tenant_id_fkey"
            columns: ["tenant_id"]
            isOneToOne: true
            referencedRelation: "tenants"
            referencedColumns: ["id"]
          },
        ]
      }
      tenants: {
        Row: {
          created_at: string
          id: string
          name: string
          security_event_retention_days: number
        }
        Insert: {
          created_at?: string
          id: string
          name: string
          security_event_retention_days?: number
        }
        Update: {
          created_at?: string
          id?: string
          name?: string
          security_event_retention_days?: number
        }
        Relationships: []
      }
      webhook_answer_times: {
        Row: {
          attempts: number
          bucket: number
          hour: string
          succeeded: boolean
          tenant_id: string
          webhook_id: string
        }
        Insert: {
          attempts: number
          bucket: number
          hour: string
          succeeded: boolean
          tenant_id: string
          webhook_id: string
        }
        Update: {
          attempts?: number
          bucket?: number
          hour?: string
          succeeded?: boolean
          tenant_id?: string
          webhook_id?: string
        }
        Relationships: [
          {
            foreignKeyName: "webhook_answer_times_tenant_id_webhook_id_fkey"
            columns: ["tenant_id", "webhook_id"]
            isOneToOne: false
            referencedRelation: "webhooks"
            referencedColumns: ["tenant_id", "id"]
          },
        ]
      }
      webhook_attempts: {
        Row: {
          cause: string
          delivery_id: string
          detail: string | null
          duration_ms: number | null
          failure_kind: string | null
          id: number
          number: number
          response_body: string | null
          response_headers: Json | null
          response_truncated: boolean | null
          started_at: string
          status: string
          status_code: number | null
          tenant_id: string
        }
        Insert: {
          cause: string
          delivery_id: string
          detail?: string | null
          duration_ms?: number | null
          failure_kind?: string | null
          id?: number
          number: number
          response_body?: string | null
          response_headers?: Json | null
          response_truncated?: boolean | null
          started_at?: string
          status?: string
          status_code?: number | null
          tenant_id: string
        }
        Update: {
          cause?: string
          delivery_id?: string
          detail?: string | null
          duration_ms?: number | null
          failure_kind?: string | null
          id?: number
          number?: number
          response_body?: string | null
          response_headers?: Json | null
          response_truncated?: boolean | null
          started_at?: string
          status?: string
          status_code?: number | null
          tenant_id?: string
        }
        Relationships: [
          {
            foreignKeyName: "webhook_attempts_tenant_id_delivery_id_fkey"
            columns: ["tenant_id", "delivery_id"]
            isOneToOne: false
            referencedRelation: "webhook_deliveries"
            referencedColumns: ["tenant_id", "id"]
          },
        ]
      }
      webhook_deliveries: {
        Row: {
          attempt_count: number
          cause: string
          created_at: string
          delivered_at: string | null
          event_id: string
          failure_count: number
          failure_kind: string | null
          id: string
          lease: number | null
          next_attempt_at: string | null
          status: string
          tenant_id: string
          type: string
          webhook_id: string
        }
        Insert: {
          attempt_count?: number
          cause?: string
          created_at?: string
          delivered_at?: string | null
          event_id: string
          failure_count?: number
          failure_kind?: string | null
          id?: string
          lease?: number | null
          next_attempt_at?: string | null
          status: string
          tenant_id: string
          type: string
          webhook_id: string
        }
        Update: {
          attempt_count?: number
          cause?: string
          created_at?: string
          delivered_at?: string | null
          event_id?: string
          failure_count?: number
          failure_kind?: string | null
          id?: string
          lease?: number | null
          next_attempt_at?: string | null
          status?: string
          tenant_id?: string
          type?: string
          webhook_id?: string
        }
        Relationships: [
          {
            foreignKeyName: "webhook_deliveries_tenant_id_event_id_fkey"
            columns: ["tenant_id", "event_id"]
            isOneToOne: false
            referencedRelation: "events"
            referencedColumns: ["tenant_id", "id"]
          },
          {
            foreignKeyName: "webhook_deliveries_tenant_id_webhook_id_fkey"
            columns: ["tenant_id", "webhook_id"]
            isOneToOne: false
            referencedRelation: "webhooks"
            referencedColumns: ["tenant_id", "id"]
          },
        ]
      }
      webhooks: {
        Row: {
          created_at: string
          created_by: string
          deleted_at: string | null
          description: string | null
          disabled_at: string | null
          disabled_by: string | null
          disabled_detail: string | null
          disabled_reason: string | null
          events: string[]
          failing_since: string | null
          id: string
          last_failure_at: string | null
          last_success_at: string | null
          previous_secret_expires_at: string | null
          secret_changed_at: string | null
          status: string
          tenant_id: string
          updated_at: string
          url: string
        }
        Insert: {
          created_at?: string
          created_by?: string
          deleted_at?: string | null
          description?: string | null
          disabled_at?: string | null
          disabled_by?: string | null
          disabled_detail?: string | null
          disabled_reason?: string | null
          events: string[]
          failing_since?: string | null
          id?: string
          last_failure_at?: string | null
          last_success_at?: string | null
          previous_secret_expires_at?: string | null
          secret_changed_at?: string | null
          status?: string
          tenant_id?: string
          updated_at?: string
          url: string
        }
        Update: {
          created_at?: string
          created_by?: string
          deleted_at?: string | null
          description?: string | null
          disabled_at?: string | null
          disabled_by?: string | null
          disabled_detail?: string | null
          disabled_reason?: string | null
          events?: string[]
          failing_since?: string | null
          id?: string
          last_failure_at?: string | null
          last_success_at?: string | null
          previous_secret_expires_at?: string | null
          secret_changed_at?: string | null
          status?: string
          tenant_id?: string
          updated_at?: string
          url?: string
        }
        Relationships: [
          {
            foreignKeyName: "webhooks_tenant_id_fkey"
            columns: ["tenant_id"]
            isOneToOne: false
            referencedRelation: "tenants"
            referencedColumns: ["id"]
          },
        ]
      }
    }
    Views: {
      [_ in never]: never
    }
    Functions: {
      begin_session: { Args: { session: Json }; Returns: string }
      check_session: {
        Args: { idle_seconds: number; seen: boolean; session_id: string }
        Returns: Json
      }
      continue_security_event_export: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      create_api_key: { Args: { input: Json; request: Json }; Returns: Json }
      create_exception: { Args: { input: Json; request: Json }; Returns: Json }
      create_reconciliation: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      create_record: { Args: { input: Json; request: Json }; Returns: Json }
      create_webhook: { Args: { input: Json; request: Json }; Returns: Json }
      delete_record: { Args: { input: Json; request: Json }; Returns: Json }
      delete_webhook: { Args: { input: Json; request: Json }; Returns: Json }
      enable_webhook: { Args: { input: Json; request: Json }; Returns: Json }
      end_sessions: { Args: { input: Json; request: Json }; Returns: Json }
      estimate_api_key_impact: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      find_api_key: { Args: { key_id: string }; Returns: Json }
      find_session_user: { Args: { user_id: string }; Returns: Json }
      get_api_key: { Args: { input: Json; request: Json }; Returns: Json }
      get_api_key_usage: { Args: { input: Json; request: Json }; Returns: Json }
      get_exception: { Args: { input: Json; request: Json }; Returns: Json }
      get_exception_ledger: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      get_first_steps: { Args: { input: Json; request: Json }; Returns: Json }
      get_me: { Args: { input: Json; request: Json }; Returns: Json }
      get_reconciliation: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      get_record: { Args: { input: Json; request: Json }; Returns: Json }
      get_security_event: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      get_sla_policy: { Args: { input: Json; request: Json }; Returns: Json }
      get_sla_report: { Args: { input: Json; request: Json }; Returns: Json }
      get_time_to_breach: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      get_webhook: { Args: { input: Json; request: Json }; Returns: Json }
      get_webhook_delivery: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      import_exceptions: { Args: { input: Json; request: Json }; Returns: Json }
      leave_session: { Args: { session_id: string }; Returns: undefined }
      list_api_keys: { Args: { input: Json; request: Json }; Returns: Json }
      list_exception_history: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_exceptions: { Args: { input: Json; request: Json }; Returns: Json }
      list_members: { Args: { input: Json; request: Json }; Returns: Json }
      list_reconciliations: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_records: { Args: { input: Json; request: Json }; Returns: Json }
      list_security_events: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_sessions: { Args: { input: Json; request: Json }; Returns: Json }
      list_sla_exceptions: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_webhook_deliveries: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_webhooks: { Args: { input: Json; request: Json }; Returns: Json }
      open_security_event_chain: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      open_security_event_export: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      put_first_steps: { Args: { input: Json; request: Json }; Returns: Json }
      put_sla_policy: { Args: { input: Json; request: Json }; Returns: Json }
      readiness: { Args: Record<PropertyKey, never>; Returns: Json }
      record_api_key_usage: {
        Args: { batch: string; rows: Json }
        Returns: undefined
      }
      record_security_events: { Args: { events: Json }; Returns: undefined }
      recover_webhook: { Args: { input: Json; request: Json }; Returns: Json }
      resend_webhook_delivery: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      restore_record: { Args: { input: Json; request: Json }; Returns: Json }
      revoke_api_key: { Args: { input: Json; request: Json }; Returns: Json }
      rotate_api_key: { Args: { input: Json; request: Json }; Returns: Json }
      rotate_webhook_secret: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      service_metrics: { Args: Record<PropertyKey, never>; Returns: Json }
      test_webhook: { Args: { input: Json; request: Json }; Returns: Json }
      update_api_key: { Args: { input: Json; request: Json }; Returns: Json }
      update_exception: { Args: { input: Json; request: Json }; Returns: Json }
      update_exceptions: { Args: { input: Json; request: Json }; Returns: Json }
      update_reconciliation: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      update_record: { Args: { input: Json; request: Json }; Returns: Json }
      update_webhook: { Args: { input: Json; request: Json }; Returns: Json }
      walk_security_event_chain: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
    }
    Enums: {
      [_ in never]: never
    }
    CompositeTypes: {
      [_ in never]: never
    }
  }
}

type DatabaseWithoutInternals = Omit<Database, "__InternalSupabase">

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "public">]

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends (DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
        DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])
    : never) = never,
> = DefaultSchemaTableNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
      DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])[TableName] extends {
      Row: infer R
    }
    ? R
    : never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema["Tables"] &
        DefaultSchema["Views"])
    ? (DefaultSchema["Tables"] &
        DefaultSchema["Views"])[DefaultSchemaTableNameOrOptions] extends {
        Row: infer R
      }
      ? R
      : never
    : never

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends (DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never) = never,
> = DefaultSchemaTableNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Insert: infer I
    }
    ? I
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
        Insert: infer I
      }
      ? I
      : never
    : never

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends (DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never) = never,
> = DefaultSchemaTableNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Update: infer U
    }
    ? U
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
        Update: infer U
      }
      ? U
      : never
    : never

export type Enums<
  DefaultSchemaEnumNameOrOptions extends
    | keyof DefaultSchema["Enums"]
    | { schema: keyof DatabaseWithoutInternals },
  EnumName extends (DefaultSchemaEnumNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"]
    : never) = never,
> = DefaultSchemaEnumNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema["Enums"]
    ? DefaultSchema["Enums"][DefaultSchemaEnumNameOrOptions]
    : never

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    | keyof DefaultSchema["CompositeTypes"]
    | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends (PublicCompositeTypeNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"]
    : never) = never,
> = PublicCompositeTypeNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"][CompositeTypeName]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema["CompositeTypes"]
    ? DefaultSchema["CompositeTypes"][PublicCompositeTypeNameOrOptions]
    : never

export const Constants = {
  public: {
    Enums: {},
  },
} as const
