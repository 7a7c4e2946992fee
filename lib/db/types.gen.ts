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
      alert_channels: {
        Row: {
          created_at: string
          created_by: string
          deleted_at: string | null
          id: string
          kinds: string[]
          last_failure: string | null
          last_failure_at: string | null
          last_sent_at: string | null
          name: string
          tenant_id: string
          url_hint: string
        }
        Insert: {
          created_at?: string
          created_by?: string
          deleted_at?: string | null
          id?: string
          kinds: string[]
          last_failure?: string | null
          last_failure_at?: string | null
          last_sent_at?: string | null
          name: string
          tenant_id?: string
          url_hint: string
        }
        Update: {
          created_at?: string
          created_by?: string
          deleted_at?: string | null
          id?: string
          kinds?: string[]
          last_failure?: string | null
          last_failure_at?: string | null
          last_sent_at?: string | null
          name?: string
          tenant_id?: string
          url_hint?: string
        }
        Relationships: [
          {
            foreignKeyName: "alert_channels_tenant_id_fkey"
            columns: ["tenant_id"]
            isOneToOne: false
            referencedRelation: "tenants"
            referencedColumns: ["id"]
          },
        ]
      }
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
          creator_issuer: string | null
          creator_subject: string | null
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
          creator_issuer?: string | null
          creator_subject?: string | null
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
          creator_issuer?: string | null
          creator_subject?: string | null
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
      calendar_versions: {
        Row: {
          calendar_id: string
          calendar_no: number
          created_at: string
          created_by: string
          special_days: NonNullable<Json>
          tenant_id: string
          time_zone: string
          version: number
          weekly: NonNullable<Json>
        }
        Insert: {
          calendar_id: string
          calendar_no?: never
          created_at?: string
          created_by?: string
          special_days: NonNullable<Json>
          tenant_id?: string
          time_zone: string
          version: number
          weekly: NonNullable<Json>
        }
        Update: {
          calendar_id?: string
          calendar_no?: never
          created_at?: string
          created_by?: string
          special_days?: NonNullable<Json>
          tenant_id?: string
          time_zone?: string
          version?: number
          weekly?: NonNullable<Json>
        }
        Relationships: [
          {
            foreignKeyName: "calendar_versions_tenant_id_calendar_id_fkey"
            columns: ["tenant_id", "calendar_id"]
            isOneToOne: false
            referencedRelation: "calendars"
            referencedColumns: ["tenant_id", "id"]
          },
        ]
      }
      calendars: {
        Row: {
          created_at: string
          created_by: string
          id: string
          name: string
          tenant_id: string
          updated_at: string
          updated_by: string
          version: number
        }
        Insert: {
          created_at?: string
          created_by?: string
          id?: string
          name: string
          tenant_id?: string
          updated_at?: string
          updated_by?: string
          version?: number
        }
        Update: {
          created_at?: string
          created_by?: string
          id?: string
          name?: string
          tenant_id?: string
          updated_at?: string
          updated_by?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: "calendars_tenant_id_fkey"
            columns: ["tenant_id"]
            isOneToOne: false
            referencedRelation: "tenants"
            referencedColumns: ["id"]
          },
        ]
      }
      carried_lines: {
        Row: {
          currency: string
          line_no: number
          open_minor: number
          reconciliation_id: string
          side: string
          tenant_id: string
          value_date: string
        }
        Insert: {
          currency: string
          line_no: number
          open_minor: number
          reconciliation_id: string
          side: string
          tenant_id?: string
          value_date: string
        }
        Update: {
          currency?: string
          line_no?: number
          open_minor?: number
          reconciliation_id?: string
          side?: string
          tenant_id?: string
          value_date?: string
        }
        Relationships: []
      }
      closings: {
        Row: {
          closed_at: string
          closed_by: string
          digest: string | null
          reconciliation_id: string
          statement: NonNullable<Json>
          tenant_id: string
        }
        Insert: {
          closed_at?: string
          closed_by?: string
          digest?: string | null
          reconciliation_id: string
          statement: NonNullable<Json>
          tenant_id?: string
        }
        Update: {
          closed_at?: string
          closed_by?: string
          digest?: string | null
          reconciliation_id?: string
          statement?: NonNullable<Json>
          tenant_id?: string
        }
        Relationships: [
          {
            foreignKeyName: "closings_tenant_id_reconciliation_id_fkey"
            columns: ["tenant_id", "reconciliation_id"]
            isOneToOne: true
            referencedRelation: "reconciliations"
            referencedColumns: ["tenant_id", "id"]
          },
        ]
      }
      connection_files: {
        Row: {
          bytes: number | null
          connection_id: string
          created_at: string
          error: string | null
          id: string
          import_id: string | null
          modified_at: string | null
          outcome: string
          path: string
          sender: string | null
          sender_checks: Json | null
          sha256: string | null
          source_no: number
          taken_at: string | null
          tenant_id: string
          tried_at: string
        }
        Insert: {
          bytes?: number | null
          connection_id: string
          created_at?: string
          error?: string | null
          id?: string
          import_id?: string | null
          modified_at?: string | null
          outcome?: string
          path: string
          sender?: string | null
          sender_checks?: Json | null
          sha256?: string | null
          source_no: number
          taken_at?: string | null
          tenant_id?: string
          tried_at?: string
        }
        Update: {
          bytes?: number | null
          connection_id?: string
          created_at?: string
          error?: string | null
          id?: string
          import_id?: string | null
          modified_at?: string | null
          outcome?: string
          path?: string
          sender?: string | null
          sender_checks?: Json | null
          sha256?: string | null
          source_no?: number
          taken_at?: string | null
          tenant_id?: string
          tried_at?: string
        }
        Relationships: [
          {
            foreignKeyName: "connection_files_tenant_id_connection_id_fkey"
            columns: ["tenant_id", "connection_id"]
            isOneToOne: false
            referencedRelation: "connections"
            referencedColumns: ["tenant_id", "id"]
          },
        ]
      }
      connections: {
        Row: {
          address: string
          afterwards: string
          alerted_at: string | null
          allowed_senders: string[]
          assigned_to: string | null
          auth: string
          created_at: string
          created_by: string
          credential_changed_at: string | null
          deleted_at: string | null
          expected_at: string | null
          failing_since: string | null
          failure_count: number
          file_glob: string
          host_key: string | null
          id: string
          kind: string
          last_error: string | null
          last_look_at: string | null
          last_outcome: string | null
          lease: string | null
          move_to: string | null
          next_look_at: string | null
          region: string | null
          schedule: Json | null
          source_no: number
          stable_seconds: number
          status: string
          tenant_id: string
          updated_at: string
          user_name: string | null
          waits_for_marker: boolean
        }
        Insert: {
          address: string
          afterwards?: string
          alerted_at?: string | null
          allowed_senders?: string[]
          assigned_to?: string | null
          auth: string
          created_at?: string
          created_by?: string
          credential_changed_at?: string | null
          deleted_at?: string | null
          expected_at?: string | null
          failing_since?: string | null
          failure_count?: number
          file_glob?: string
          host_key?: string | null
          id?: string
          kind: string
          last_error?: string | null
          last_look_at?: string | null
          last_outcome?: string | null
          lease?: string | null
          move_to?: string | null
          next_look_at?: string | null
          region?: string | null
          schedule?: Json | null
          source_no: number
          stable_seconds?: number
          status?: string
          tenant_id?: string
          updated_at?: string
          user_name?: string | null
          waits_for_marker?: boolean
        }
        Update: {
          address?: string
          afterwards?: string
          alerted_at?: string | null
          allowed_senders?: string[]
          assigned_to?: string | null
          auth?: string
          created_at?: string
          created_by?: string
          credential_changed_at?: string | null
          deleted_at?: string | null
          expected_at?: string | null
          failing_since?: string | null
          failure_count?: number
          file_glob?: string
          host_key?: string | null
          id?: string
          kind?: string
          last_error?: string | null
          last_look_at?: string | null
          last_outcome?: string | null
          lease?: string | null
          move_to?: string | null
          next_look_at?: string | null
          region?: string | null
          schedule?: Json | null
          source_no?: number
          stable_seconds?: number
          status?: string
          tenant_id?: string
          updated_at?: string
          user_name?: string | null
          waits_for_marker?: boolean
        }
        Relationships: [
          {
            foreignKeyName: "connections_tenant_id_fkey"
            columns: ["tenant_id"]
            isOneToOne: false
            referencedRelation: "tenants"
            referencedColumns: ["id"]
          },
          {
            foreignKeyName: "connections_tenant_id_source_no_fkey"
            columns: ["tenant_id", "source_no"]
            isOneToOne: false
            referencedRelation: "sources"
            referencedColumns: ["tenant_id", "source_no"]
          },
        ]
      }
      entries: {
        Row: {
          amount_minor: number
          batch_id: string
          cost_center: string | null
          counterparty: string | null
          credit_account: string
          currency: string
          debit_account: string
          difference_minor: number
          kind: string
          pair_no: number
          place: number
          reconciliation_id: string
          reference: string | null
          reverses_batch: string | null
          reverses_place: number | null
          subject_id: string
          subject_place: number
          tax_code: string | null
          tenant_id: string
          text: string
          value_date: string
        }
        Insert: {
          amount_minor: number
          batch_id: string
          cost_center?: string | null
          counterparty?: string | null
          credit_account: string
          currency: string
          debit_account: string
          difference_minor: number
          kind: string
          pair_no: number
          place: number
          reconciliation_id: string
          reference?: string | null
          reverses_batch?: string | null
          reverses_place?: number | null
          subject_id: string
          subject_place: number
          tax_code?: string | null
          tenant_id?: string
          text: string
          value_date: string
        }
        Update: {
          amount_minor?: number
          batch_id?: string
          cost_center?: string | null
          counterparty?: string | null
          credit_account?: string
          currency?: string
          debit_account?: string
          difference_minor?: number
          kind?: string
          pair_no?: number
          place?: number
          reconciliation_id?: string
          reference?: string | null
          reverses_batch?: string | null
          reverses_place?: number | null
          subject_id?: string
          subject_place?: number
          tax_code?: string | null
          tenant_id?: string
          text?: string
          value_date?: string
        }
        Relationships: []
      }
      entry_batches: {
        Row: {
          created_at: string
          created_by: string
          digest: string
          entry_count: number
          exported_at: string | null
          exported_by: string | null
          id: string
          ledger_reference: string | null
          number: number | null
          pair_no: number
          posting_date: string
          push: Json | null
          reconciliation_id: string
          reversal_count: number
          statement_number: number
          sums: NonNullable<Json>
          tenant_id: string
          year: number
        }
        Insert: {
          created_at?: string
          created_by?: string
          digest: string
          entry_count: number
          exported_at?: string | null
          exported_by?: string | null
          id?: string
          ledger_reference?: string | null
          number?: number | null
          pair_no: number
          posting_date: string
          push?: Json | null
          reconciliation_id: string
          reversal_count: number
          statement_number: number
          sums: NonNullable<Json>
          tenant_id?: string
          year?: never
        }
        Update: {
          created_at?: string
          created_by?: string
          digest?: string
          entry_count?: number
          exported_at?: string | null
          exported_by?: string | null
          id?: string
          ledger_reference?: string | null
          number?: number | null
          pair_no?: number
          posting_date?: string
          push?: Json | null
          reconciliation_id?: string
          reversal_count?: number
          statement_number?: number
          sums?: NonNullable<Json>
          tenant_id?: string
          year?: never
        }
        Relationships: [
          {
            foreignKeyName: "entry_batches_tenant_id_reconciliation_id_fkey"
            columns: ["tenant_id", "reconciliation_id"]
            isOneToOne: false
            referencedRelation: "reconciliations"
            referencedColumns: ["tenant_id", "id"]
          },
        ]
      }
      entry_rules: {
        Row: {
          created_at: string
          created_by: string
          ledger: NonNullable<Json>
          pair_no: number
          rules: NonNullable<Json>
          tenant_id: string
          version: number
        }
        Insert: {
          created_at?: string
          created_by?: string
          ledger: NonNullable<Json>
          pair_no: number
          rules: NonNullable<Json>
          tenant_id?: string
          version: number
        }
        Update: {
          created_at?: string
          created_by?: string
          ledger?: NonNullable<Json>
          pair_no?: number
          rules?: NonNullable<Json>
          tenant_id?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: "entry_rules_tenant_id_pair_no_fkey"
            columns: ["tenant_id", "pair_no"]
            isOneToOne: false
            referencedRelation: "pairs"
            referencedColumns: ["tenant_id", "pair_no"]
          },
        ]
      }
      events: {
        Row: {
          at: string
          data: NonNullable<Json>
          id: string
          once_key: string | null
          position: number | null
          request_id: string | null
          subject: string | null
          tenant_id: string
          test_of: string | null
          type: string
        }
        Insert: {
          at?: string
          data: NonNullable<Json>
          id?: string
          once_key?: string | null
          position?: number | null
          request_id?: string | null
          subject?: string | null
          tenant_id: string
          test_of?: string | null
          type: string
        }
        Update: {
          at?: string
          data?: NonNullable<Json>
          id?: string
          once_key?: string | null
          position?: number | null
          request_id?: string | null
          subject?: string | null
          tenant_id?: string
          test_of?: string | null
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
      evidence: {
        Row: {
          actor_issuer: string | null
          actor_subject: string | null
          bucket: string | null
          bytes: number
          created_at: string
          created_by: string
          file_name: string
          id: string
          media_type: string
          removed_at: string | null
          removed_by: string | null
          removed_reason: string | null
          sha256: string
          subject_id: string
          subject_type: string
          supersedes: string | null
          tenant_id: string
        }
        Insert: {
          actor_issuer?: string | null
          actor_subject?: string | null
          bucket?: string | null
          bytes: number
          created_at?: string
          created_by?: string
          file_name: string
          id?: string
          media_type: string
          removed_at?: string | null
          removed_by?: string | null
          removed_reason?: string | null
          sha256: string
          subject_id: string
          subject_type: string
          supersedes?: string | null
          tenant_id?: string
        }
        Update: {
          actor_issuer?: string | null
          actor_subject?: string | null
          bucket?: string | null
          bytes?: number
          created_at?: string
          created_by?: string
          file_name?: string
          id?: string
          media_type?: string
          removed_at?: string | null
          removed_by?: string | null
          removed_reason?: string | null
          sha256?: string
          subject_id?: string
          subject_type?: string
          supersedes?: string | null
          tenant_id?: string
        }
        Relationships: [
          {
            foreignKeyName: "evidence_tenant_id_fkey"
            columns: ["tenant_id"]
            isOneToOne: false
            referencedRelation: "tenants"
            referencedColumns: ["id"]
          },
          {
            foreignKeyName: "evidence_tenant_id_supersedes_fkey"
            columns: ["tenant_id", "supersedes"]
            isOneToOne: false
            referencedRelation: "evidence"
            referencedColumns: ["tenant_id", "id"]
          },
        ]
      }
      exception_comments: {
        Row: {
          actor_issuer: string | null
          actor_subject: string | null
          body: string
          created_at: string
          created_by: string
          exception_id: string
          id: string
          mentions: string[]
          request_id: string | null
          tenant_id: string
        }
        Insert: {
          actor_issuer?: string | null
          actor_subject?: string | null
          body: string
          created_at?: string
          created_by?: string
          exception_id: string
          id?: string
          mentions?: string[]
          request_id?: string | null
          tenant_id?: string
        }
        Update: {
          actor_issuer?: string | null
          actor_subject?: string | null
          body?: string
          created_at?: string
          created_by?: string
          exception_id?: string
          id?: string
          mentions?: string[]
          request_id?: string | null
          tenant_id?: string
        }
        Relationships: [
          {
            foreignKeyName: "exception_comments_tenant_id_exception_id_fkey"
            columns: ["tenant_id", "exception_id"]
            isOneToOne: false
            referencedRelation: "exceptions"
            referencedColumns: ["tenant_id", "id"]
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
          calendar_no: number | null
          due_at: string
          exception_id: string
          id: number
          in_business_time: boolean
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
          calendar_no?: number | null
          due_at: string
          exception_id: string
          id?: never
          in_business_time?: boolean
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
          calendar_no?: number | null
          due_at?: string
          exception_id?: string
          id?: never
          in_business_time?: boolean
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
          calendar_id: string | null
          calendar_no: number | null
          closed_at: string | null
          created_at: string
          created_by: string
          currency: string | null
          details: NonNullable<Json>
          due_at: string
          due_from_policy: boolean
          due_open_ms: number | null
          grouped_match_id: string | null
          held_due_at: string | null
          id: string
          line_id: string | null
          line_no: number | null
          pair_no: number | null
          pause_count: number
          pause_reason: string | null
          paused_at: string | null
          paused_by_rule: boolean
          paused_ms: number
          paused_until: string | null
          reason_code: string | null
          reconciliation_id: string | null
          resolution: string | null
          resolved_by_matching: boolean
          severity: string
          severity_rank: number
          status: string
          suggested_match_id: string | null
          tenant_id: string
          title: string
          updated_at: string
        }
        Insert: {
          amount_minor?: number | null
          assigned_to?: string | null
          calendar_id?: string | null
          calendar_no?: number | null
          closed_at?: string | null
          created_at?: string
          created_by?: string
          currency?: string | null
          details?: NonNullable<Json>
          due_at: string
          due_from_policy?: boolean
          due_open_ms?: number | null
          grouped_match_id?: string | null
          held_due_at?: string | null
          id?: string
          line_id?: string | null
          line_no?: number | null
          pair_no?: number | null
          pause_count?: number
          pause_reason?: string | null
          paused_at?: string | null
          paused_by_rule?: boolean
          paused_ms?: number
          paused_until?: string | null
          reason_code?: string | null
          reconciliation_id?: string | null
          resolution?: string | null
          resolved_by_matching?: boolean
          severity: string
          severity_rank?: never
          status?: string
          suggested_match_id?: string | null
          tenant_id?: string
          title: string
          updated_at?: string
        }
        Update: {
          amount_minor?: number | null
          assigned_to?: string | null
          calendar_id?: string | null
          calendar_no?: number | null
          closed_at?: string | null
          created_at?: string
          created_by?: string
          currency?: string | null
          details?: NonNullable<Json>
          due_at?: string
          due_from_policy?: boolean
          due_open_ms?: number | null
          grouped_match_id?: string | null
          held_due_at?: string | null
          id?: string
          line_id?: string | null
          line_no?: number | null
          pair_no?: number | null
          pause_count?: number
          pause_reason?: string | null
          paused_at?: string | null
          paused_by_rule?: boolean
          paused_ms?: number
          paused_until?: string | null
          reason_code?: string | null
          reconciliation_id?: string | null
          resolution?: string | null
          resolved_by_matching?: boolean
          severity?: string
          severity_rank?: never
          status?: string
          suggested_match_id?: string | null
          tenant_id?: string
          title?: string
          updated_at?: string
        }
        Relationships: [
          {
            foreignKeyName: "exceptions_tenant_id_calendar_no_fkey"
            columns: ["tenant_id", "calendar_no"]
            isOneToOne: false
            referencedRelation: "calendar_versions"
            referencedColumns: ["tenant_id", "calendar_no"]
          },
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
      exclusions: {
        Row: {
          created_at: string
          created_by: string
          currency: string
          excluded_minor: number
          line_no: number
          pair_no: number
          reason: string
          reconciliation_id: string
          side: string
          tenant_id: string
        }
        Insert: {
          created_at?: string
          created_by?: string
          currency: string
          excluded_minor: number
          line_no: number
          pair_no: number
          reason: string
          reconciliation_id: string
          side: string
          tenant_id?: string
        }
        Update: {
          created_at?: string
          created_by?: string
          currency?: string
          excluded_minor?: number
          line_no?: number
          pair_no?: number
          reason?: string
          reconciliation_id?: string
          side?: string
          tenant_id?: string
        }
        Relationships: [
          {
            foreignKeyName: "exclusions_tenant_id_reconciliation_id_fkey"
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
      imports: {
        Row: {
          accepted_count: number
          balance_holds: boolean | null
          bytes_read: number
          bytes_total: number
          closing_balance_minor: number | null
          created_at: string
          created_by: string
          duplicate_count: number
          failure: string | null
          file_name: string | null
          finished_at: string | null
          first_line_no: number | null
          format: string
          id: string
          last_line_no: number | null
          mapping: Json | null
          opening_balance_minor: number | null
          read_count: number
          refusals: NonNullable<Json>
          refused_count: number
          skipped_count: number
          skips: NonNullable<Json>
          source_no: number
          statements: NonNullable<Json>
          status: string
          tenant_id: string
          undone_at: string | null
          undone_by: string | null
          warnings: NonNullable<Json>
        }
        Insert: {
          accepted_count?: number
          balance_holds?: boolean | null
          bytes_read?: number
          bytes_total?: number
          closing_balance_minor?: number | null
          created_at?: string
          created_by?: string
          duplicate_count?: number
          failure?: string | null
          file_name?: string | null
          finished_at?: string | null
          first_line_no?: number | null
          format: string
          id?: string
          last_line_no?: number | null
          mapping?: Json | null
          opening_balance_minor?: number | null
          read_count?: number
          refusals?: NonNullable<Json>
          refused_count?: number
          skipped_count?: number
          skips?: NonNullable<Json>
          source_no: number
          statements?: NonNullable<Json>
          status?: string
          tenant_id?: string
          undone_at?: string | null
          undone_by?: string | null
          warnings?: NonNullable<Json>
        }
        Update: {
          accepted_count?: number
          balance_holds?: boolean | null
          bytes_read?: number
          bytes_total?: number
          closing_balance_minor?: number | null
          created_at?: string
          created_by?: string
          duplicate_count?: number
          failure?: string | null
          file_name?: string | null
          finished_at?: string | null
          first_line_no?: number | null
          format?: string
          id?: string
          last_line_no?: number | null
          mapping?: Json | null
          opening_balance_minor?: number | null
          read_count?: number
          refusals?: NonNullable<Json>
          refused_count?: number
          skipped_count?: number
          skips?: NonNullable<Json>
          source_no?: number
          statements?: NonNullable<Json>
          status?: string
          tenant_id?: string
          undone_at?: string | null
          undone_by?: string | null
          warnings?: NonNullable<Json>
        }
        Relationships: [
          {
            foreignKeyName: "imports_tenant_id_fkey"
            columns: ["tenant_id"]
            isOneToOne: false
            referencedRelation: "tenants"
            referencedColumns: ["id"]
          },
          {
            foreignKeyName: "imports_tenant_id_source_no_fkey"
            columns: ["tenant_id", "source_no"]
            isOneToOne: false
            referencedRelation: "sources"
            referencedColumns: ["tenant_id", "source_no"]
          },
        ]
      }
      invitations: {
        Row: {
          accepted_at: string | null
          created_at: string
          created_by: string
          email: string
          expires_at: string
          id: string
          requested_at: string
          requests: string[]
          revoked_at: string | null
          revoked_by: string | null
          roles: string[]
          sent_at: string | null
          tenant_id: string
        }
        Insert: {
          accepted_at?: string | null
          created_at?: string
          created_by?: string
          email: string
          expires_at?: string
          id?: string
          requested_at?: string
          requests?: string[]
          revoked_at?: string | null
          revoked_by?: string | null
          roles: string[]
          sent_at?: string | null
          tenant_id?: string
        }
        Update: {
          accepted_at?: string | null
          created_at?: string
          created_by?: string
          email?: string
          expires_at?: string
          id?: string
          requested_at?: string
          requests?: string[]
          revoked_at?: string | null
          revoked_by?: string | null
          roles?: string[]
          sent_at?: string | null
          tenant_id?: string
        }
        Relationships: [
          {
            foreignKeyName: "invitations_tenant_id_fkey"
            columns: ["tenant_id"]
            isOneToOne: false
            referencedRelation: "tenants"
            referencedColumns: ["id"]
          },
        ]
      }
      lines: {
        Row: {
          amount_minor: number
          booked_date: string | null
          counterparty: string | null
          created_at: string
          currency: string
          description: string | null
          details: Json | null
          external_id: string | null
          fee_minor: number | null
          file_line: number | null
          group_key: string | null
          id: string
          import_id: string | null
          line_no: number
          reference: string | null
          source_no: number
          tenant_id: string
          value_date: string
        }
        Insert: {
          amount_minor: number
          booked_date?: string | null
          counterparty?: string | null
          created_at?: string
          currency: string
          description?: string | null
          details?: Json | null
          external_id?: string | null
          fee_minor?: number | null
          file_line?: number | null
          group_key?: string | null
          id: string
          import_id?: string | null
          line_no?: never
          reference?: string | null
          source_no: number
          tenant_id: string
          value_date: string
        }
        Update: {
          amount_minor?: number
          booked_date?: string | null
          counterparty?: string | null
          created_at?: string
          currency?: string
          description?: string | null
          details?: Json | null
          external_id?: string | null
          fee_minor?: number | null
          file_line?: number | null
          group_key?: string | null
          id?: string
          import_id?: string | null
          line_no?: never
          reference?: string | null
          source_no?: number
          tenant_id?: string
          value_date?: string
        }
        Relationships: []
      }
      match_members: {
        Row: {
          allocated_minor: number
          line_no: number
          match_id: string
          pair_no: number
          side: string
          tenant_id: string
        }
        Insert: {
          allocated_minor: number
          line_no: number
          match_id: string
          pair_no: number
          side: string
          tenant_id?: string
        }
        Update: {
          allocated_minor?: number
          line_no?: number
          match_id?: string
          pair_no?: number
          side?: string
          tenant_id?: string
        }
        Relationships: []
      }
      matches: {
        Row: {
          adjustments: NonNullable<Json>
          amount_minor: number
          created_at: string
          created_by: string
          currency: string
          decided_at: string | null
          decided_by: string | null
          explanation: Json | null
          hash_high: number | null
          hash_low: number | null
          id: string
          margin: number | null
          method: string
          note: string | null
          pair_no: number
          reconciliation_id: string
          residual_minor: number
          run_id: string | null
          score: number | null
          settled: boolean
          shape: string
          state: string
          tenant_id: string
        }
        Insert: {
          adjustments?: NonNullable<Json>
          amount_minor: number
          created_at?: string
          created_by?: string
          currency: string
          decided_at?: string | null
          decided_by?: string | null
          explanation?: Json | null
          hash_high?: number | null
          hash_low?: number | null
          id: string
          margin?: number | null
          method: string
          note?: string | null
          pair_no: number
          reconciliation_id: string
          residual_minor?: number
          run_id?: string | null
          score?: number | null
          settled?: boolean
          shape: string
          state: string
          tenant_id?: string
        }
        Update: {
          adjustments?: NonNullable<Json>
          amount_minor?: number
          created_at?: string
          created_by?: string
          currency?: string
          decided_at?: string | null
          decided_by?: string | null
          explanation?: Json | null
          hash_high?: number | null
          hash_low?: number | null
          id?: string
          margin?: number | null
          method?: string
          note?: string | null
          pair_no?: number
          reconciliation_id?: string
          residual_minor?: number
          run_id?: string | null
          score?: number | null
          settled?: boolean
          shape?: string
          state?: string
          tenant_id?: string
        }
        Relationships: []
      }
      notification_settings: {
        Row: {
          api_key_expiring: boolean
          assigned: boolean
          connection_failing: boolean
          exception_at_risk: string
          exception_breached: string
          is_account: boolean
          mentioned: boolean
          subject: string
          tenant_id: string
          webhook_failing: boolean
        }
        Insert: {
          api_key_expiring?: boolean
          assigned?: boolean
          connection_failing?: boolean
          exception_at_risk?: string
          exception_breached?: string
          is_account?: boolean
          mentioned?: boolean
          subject?: string
          tenant_id?: string
          webhook_failing?: boolean
        }
        Update: {
          api_key_expiring?: boolean
          assigned?: boolean
          connection_failing?: boolean
          exception_at_risk?: string
          exception_breached?: string
          is_account?: boolean
          mentioned?: boolean
          subject?: string
          tenant_id?: string
          webhook_failing?: boolean
        }
        Relationships: [
          {
            foreignKeyName: "notification_settings_tenant_id_fkey"
            columns: ["tenant_id"]
            isOneToOne: false
            referencedRelation: "tenants"
            referencedColumns: ["id"]
          },
        ]
      }
      pair_rules: {
        Row: {
          created_at: string
          created_by: string
          pair_no: number
          policy: NonNullable<Json>
          rules: NonNullable<Json>
          tenant_id: string
          version: number
        }
        Insert: {
          created_at?: string
          created_by?: string
          pair_no: number
          policy: NonNullable<Json>
          rules: NonNullable<Json>
          tenant_id?: string
          version: number
        }
        Update: {
          created_at?: string
          created_by?: string
          pair_no?: number
          policy?: NonNullable<Json>
          rules?: NonNullable<Json>
          tenant_id?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: "pair_rules_tenant_id_pair_no_fkey"
            columns: ["tenant_id", "pair_no"]
            isOneToOne: false
            referencedRelation: "pairs"
            referencedColumns: ["tenant_id", "pair_no"]
          },
        ]
      }
      pairs: {
        Row: {
          created_at: string
          created_by: string
          left_source_no: number
          opening: Json | null
          pair_no: number
          right_source_no: number
          rules_version: number
          tenant_id: string
          weights: Json | null
        }
        Insert: {
          created_at?: string
          created_by?: string
          left_source_no: number
          opening?: Json | null
          pair_no?: never
          right_source_no: number
          rules_version?: number
          tenant_id?: string
          weights?: Json | null
        }
        Update: {
          created_at?: string
          created_by?: string
          left_source_no?: number
          opening?: Json | null
          pair_no?: never
          right_source_no?: number
          rules_version?: number
          tenant_id?: string
          weights?: Json | null
        }
        Relationships: [
          {
            foreignKeyName: "pairs_tenant_id_fkey"
            columns: ["tenant_id"]
            isOneToOne: false
            referencedRelation: "tenants"
            referencedColumns: ["id"]
          },
          {
            foreignKeyName: "pairs_tenant_id_left_source_no_fkey"
            columns: ["tenant_id", "left_source_no"]
            isOneToOne: false
            referencedRelation: "sources"
            referencedColumns: ["tenant_id", "source_no"]
          },
          {
            foreignKeyName: "pairs_tenant_id_right_source_no_fkey"
            columns: ["tenant_id", "right_source_no"]
            isOneToOne: false
            referencedRelation: "sources"
            referencedColumns: ["tenant_id", "source_no"]
          },
        ]
      }
      period_signatures: {
        Row: {
          digest: string
          issuer: string
          kind: string
          level: number
          note: string | null
          number: number
          pair_no: number
          period_end: string
          reconciliation_id: string
          revoked_at: string | null
          revoked_by: string | null
          revoked_reason: string | null
          signed_at: string
          signed_by: string
          subject: string
          tenant_id: string
        }
        Insert: {
          digest: string
          issuer?: string
          kind: string
          level: number
          note?: string | null
          number: number
          pair_no: number
          period_end: string
          reconciliation_id: string
          revoked_at?: string | null
          revoked_by?: string | null
          revoked_reason?: string | null
          signed_at?: string
          signed_by?: string
          subject?: string
          tenant_id?: string
        }
        Update: {
          digest?: string
          issuer?: string
          kind?: string
          level?: number
          note?: string | null
          number?: number
          pair_no?: number
          period_end?: string
          reconciliation_id?: string
          revoked_at?: string | null
          revoked_by?: string | null
          revoked_reason?: string | null
          signed_at?: string
          signed_by?: string
          subject?: string
          tenant_id?: string
        }
        Relationships: [
          {
            foreignKeyName: "period_signatures_tenant_id_reconciliation_id_fkey"
            columns: ["tenant_id", "reconciliation_id"]
            isOneToOne: false
            referencedRelation: "reconciliations"
            referencedColumns: ["tenant_id", "id"]
          },
        ]
      }
      reconciliations: {
        Row: {
          auto_run: boolean
          closed_at: string | null
          closed_by: string | null
          created_at: string
          created_by: string
          id: string
          left_source: string
          left_source_id: string | null
          matched_count: number
          name: string
          pair_no: number | null
          period_end: string
          period_start: string
          right_source: string
          right_source_id: string | null
          status: string
          tenant_id: string
          unmatched_count: number
          updated_at: string
        }
        Insert: {
          auto_run?: boolean
          closed_at?: string | null
          closed_by?: string | null
          created_at?: string
          created_by?: string
          id?: string
          left_source: string
          left_source_id?: string | null
          matched_count?: number
          name: string
          pair_no?: number | null
          period_end: string
          period_start: string
          right_source: string
          right_source_id?: string | null
          status?: string
          tenant_id?: string
          unmatched_count?: number
          updated_at?: string
        }
        Update: {
          auto_run?: boolean
          closed_at?: string | null
          closed_by?: string | null
          created_at?: string
          created_by?: string
          id?: string
          left_source?: string
          left_source_id?: string | null
          matched_count?: number
          name?: string
          pair_no?: number | null
          period_end?: string
          period_start?: string
          right_source?: string
          right_source_id?: string | null
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
      request_log: {
        Row: {
          actor: string | null
          address: unknown
          api_key_id: string | null
          at: string
          credential: string
          duration_ms: number
          error_code: string | null
          id: string
          method: string
          operation: string | null
          path: string
          query: string
          refused: boolean
          request: NonNullable<Json>
          resource: string | null
          response: NonNullable<Json>
          status: number
          tenant_id: string
        }
        Insert: {
          actor?: string | null
          address?: unknown
          api_key_id?: string | null
          at: string
          credential: string
          duration_ms: number
          error_code?: string | null
          id: string
          method: string
          operation?: string | null
          path: string
          query?: string
          refused?: boolean
          request: NonNullable<Json>
          resource?: string | null
          response: NonNullable<Json>
          status: number
          tenant_id: string
        }
        Update: {
          actor?: string | null
          address?: unknown
          api_key_id?: string | null
          at?: string
          credential?: string
          duration_ms?: number
          error_code?: string | null
          id?: string
          method?: string
          operation?: string | null
          path?: string
          query?: string
          refused?: boolean
          request?: NonNullable<Json>
          resource?: string | null
          response?: NonNullable<Json>
          status?: number
          tenant_id?: string
        }
        Relationships: []
      }
      runs: {
        Row: {
          attempt: number
          calendar_id: string | null
          calendar_version: number | null
          changed: Json | null
          conditions: Json | null
          created_at: string
          created_by: string
          digest: string | null
          dry_run: Json | null
          engine_version: string | null
          exceptions_held_back: number
          exceptions_opened: number
          failure: string | null
          finished_at: string | null
          id: string
          impact: Json | null
          lines_done: number
          lines_total: number
          open_count: number
          pair_no: number
          reconciliation_id: string
          rules_version: number | null
          stage: string | null
          started_at: string | null
          status: string
          suggested_count: number
          tenant_id: string
          waterfall: NonNullable<Json>
        }
        Insert: {
          attempt?: number
          calendar_id?: string | null
          calendar_version?: number | null
          changed?: Json | null
          conditions?: Json | null
          created_at?: string
          created_by?: string
          digest?: string | null
          dry_run?: Json | null
          engine_version?: string | null
          exceptions_held_back?: number
          exceptions_opened?: number
          failure?: string | null
          finished_at?: string | null
          id?: string
          impact?: Json | null
          lines_done?: number
          lines_total?: number
          open_count?: number
          pair_no: number
          reconciliation_id: string
          rules_version?: number | null
          stage?: string | null
          started_at?: string | null
          status?: string
          suggested_count?: number
          tenant_id?: string
          waterfall?: NonNullable<Json>
        }
        Update: {
          attempt?: number
          calendar_id?: string | null
          calendar_version?: number | null
          changed?: Json | null
          conditions?: Json | null
          created_at?: string
          created_by?: string
          digest?: string | null
          dry_run?: Json | null
          engine_version?: string | null
          exceptions_held_back?: number
          exceptions_opened?: number
          failure?: string | null
          finished_at?: string | null
          id?: string
          impact?: Json | null
          lines_done?: number
          lines_total?: number
          open_count?: number
          pair_no?: number
          reconciliation_id?: string
          rules_version?: number | null
          stage?: string | null
          started_at?: string | null
          status?: string
          suggested_count?: number
          tenant_id?: string
          waterfall?: NonNullable<Json>
        }
        Relationships: [
          {
            foreignKeyName: "runs_tenant_id_reconciliation_id_fkey"
            columns: ["tenant_id", "reconciliation_id"]
            isOneToOne: false
            referencedRelation: "reconciliations"
            referencedColumns: ["tenant_id", "id"]
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
          at_risk_business_thresholds: number[]
          at_risk_thresholds: number[]
          calendar_by_severity: NonNullable<Json>
          calendar_id: string | null
          critical_minutes: number
          high_minutes: number
          low_minutes: number
          medium_minutes: number
          pause_max_count: number | null
          pause_max_minutes: number | null
          pause_rules: NonNullable<Json>
          tenant_id: string
          updated_at: string
          updated_by: string
          version: number
        }
        Insert: {
          at_risk_business_thresholds?: number[]
          at_risk_thresholds?: number[]
          calendar_by_severity?: NonNullable<Json>
          calendar_id?: string | null
          critical_minutes?: number
          high_minutes?: number
          low_minutes?: number
          medium_minutes?: number
          pause_max_count?: number | null
          pause_max_minutes?: number | null
          pause_rules?: NonNullable<Json>
          tenant_id: string
          updated_at?: string
          updated_by?: string
          version?: number
        }
        Update: {
          at_risk_business_thresholds?: number[]
          at_risk_thresholds?: number[]
          calendar_by_severity?: NonNullable<Json>
          calendar_id?: string | null
          critical_minutes?: number
          high_minutes?: number
          low_minutes?: number
          medium_minutes?: number
          pause_max_count?: number | null
          pause_max_minutes?: number | null
          pause_rules?: NonNullable<Json>
          tenant_id?: string
          updated_at?: string
          updated_by?: string
          version?: number
        }
        Relationships: [
          {
            foreignKeyName: "sla_policies_tenant_id_calendar_id_fkey"
            columns: ["tenant_id", "calendar_id"]
            isOneToOne: false
            referencedRelation: "calendars"
            referencedColumns: ["tenant_id", "id"]
          },
          {
            foreignKeyName: "sla_policies_tenant_id_fkey"
            columns: ["tenant_id"]
            isOneToOne: true
            referencedRelation: "tenants"
            referencedColumns: ["id"]
          },
        ]
      }
      source_balances: {
        Row: {
          account: string | null
          closing_minor: number
          created_at: string
          created_by: string
          currency: string
          id: string
          import_id: string | null
          opening_minor: number | null
          period_end: string
          period_start: string | null
          reason: string | null
          source_no: number
          tenant_id: string
        }
        Insert: {
          account?: string | null
          closing_minor: number
          created_at?: string
          created_by?: string
          currency: string
          id?: string
          import_id?: string | null
          opening_minor?: number | null
          period_end: string
          period_start?: string | null
          reason?: string | null
          source_no: number
          tenant_id?: string
        }
        Update: {
          account?: string | null
          closing_minor?: number
          created_at?: string
          created_by?: string
          currency?: string
          id?: string
          import_id?: string | null
          opening_minor?: number | null
          period_end?: string
          period_start?: string | null
          reason?: string | null
          source_no?: number
          tenant_id?: string
        }
        Relationships: [
          {
            foreignKeyName: "source_balances_tenant_id_import_id_fkey"
            columns: ["tenant_id", "import_id"]
            isOneToOne: false
            referencedRelation: "imports"
            referencedColumns: ["tenant_id", "id"]
          },
          {
            foreignKeyName: "source_balances_tenant_id_source_no_fkey"
            columns: ["tenant_id", "source_no"]
            isOneToOne: false
            referencedRelation: "sources"
            referencedColumns: ["tenant_id", "source_no"]
          },
        ]
      }
      sources: {
        Row: {
          created_at: string
          created_by: string
          currency: string
          grace_days: number
          id: string
          kind: string
          last_import_at: string | null
          line_count: number
          mapping: Json | null
          name: string
          sign: string
          source_no: number
          tenant_id: string
          time_zone: string
          updated_at: string
        }
        Insert: {
          created_at?: string
          created_by?: string
          currency: string
          grace_days?: number
          id?: string
          kind: string
          last_import_at?: string | null
          line_count?: number
          mapping?: Json | null
          name: string
          sign?: string
          source_no?: never
          tenant_id?: string
          time_zone?: string
          updated_at?: string
        }
        Update: {
          created_at?: string
          created_by?: string
          currency?: string
          grace_days?: number
          id?: string
          kind?: string
          last_import_at?: string | null
          line_count?: number
          mapping?: Json | null
          name?: string
          sign?: string
          source_no?: never
          tenant_id?: string
          time_zone?: string
          updated_at?: string
        }
        Relationships: [
          {
            foreignKeyName: "sources_tenant_id_fkey"
            columns: ["tenant_id"]
            isOneToOne: false
            referencedRelation: "tenants"
            referencedColumns: ["id"]
          },
        ]
      }
      statement_evidence: {
        Row: {
          content: string
          evidence_id: string
          number: number
          reconciliation_id: string
          tenant_id: string
        }
        Insert: {
          content: string
          evidence_id: string
          number: number
          reconciliation_id: string
          tenant_id?: string
        }
        Update: {
          content?: string
          evidence_id?: string
          number?: number
          reconciliation_id?: string
          tenant_id?: string
        }
        Relationships: [
          {
            foreignKeyName: "statement_evidence_tenant_id_evidence_id_fkey"
            columns: ["tenant_id", "evidence_id"]
            isOneToOne: false
            referencedRelation: "evidence"
            referencedColumns: ["tenant_id", "id"]
          },
          {
            foreignKeyName: "statement_evidence_tenant_id_reconciliation_id_fkey"
            columns: ["tenant_id", "reconciliation_id"]
            isOneToOne: false
            referencedRelation: "reconciliations"
            referencedColumns: ["tenant_id", "id"]
          },
        ]
      }
      statements: {
        Row: {
          closed_at: string
          closed_by: string
          closer_issuer: string | null
          closer_subject: string | null
          digest: string | null
          number: number
          reason: string | null
          reconciliation_id: string
          reopened_at: string | null
          reopened_by: string | null
          signatures: NonNullable<Json>
          statement: NonNullable<Json>
          tenant_id: string
        }
        Insert: {
          closed_at: string
          closed_by: string
          closer_issuer?: string | null
          closer_subject?: string | null
          digest?: string | null
          number: number
          reason?: string | null
          reconciliation_id: string
          reopened_at?: string | null
          reopened_by?: string | null
          signatures?: NonNullable<Json>
          statement: NonNullable<Json>
          tenant_id?: string
        }
        Update: {
          closed_at?: string
          closed_by?: string
          closer_issuer?: string | null
          closer_subject?: string | null
          digest?: string | null
          number?: number
          reason?: string | null
          reconciliation_id?: string
          reopened_at?: string | null
          reopened_by?: string | null
          signatures?: NonNullable<Json>
          statement?: NonNullable<Json>
          tenant_id?: string
        }
        Relationships: [
          {
            foreignKeyName: "statements_tenant_id_reconciliation_id_fkey"
            columns: ["tenant_id", "reconciliation_id"]
            isOneToOne: false
            referencedRelation: "reconciliations"
            referencedColumns: ["tenant_id", "id"]
          },
        ]
      }
      tenants: {
        Row: {
          created_at: string
          id: string
          kind: string
          name: string
          security_event_retention_days: number
        }
        Insert: {
          created_at?: string
          id: string
          kind?: never
          name: string
          security_event_retention_days?: number
        }
        Update: {
          created_at?: string
          id?: string
          kind?: never
          name?: string
          security_event_retention_days?: number
        }
        Relationships: []
      }
      views: {
        Row: {
          created_at: string
          created_by: string
          filters: NonNullable<Json>
          id: string
          name: string
          principal_id: string
          shared: boolean
          sort_by: string
          tenant_id: string
          updated_at: string
        }
        Insert: {
          created_at?: string
          created_by?: string
          filters?: NonNullable<Json>
          id?: string
          name: string
          principal_id?: string
          shared?: boolean
          sort_by?: string
          tenant_id?: string
          updated_at?: string
        }
        Update: {
          created_at?: string
          created_by?: string
          filters?: NonNullable<Json>
          id?: string
          name?: string
          principal_id?: string
          shared?: boolean
          sort_by?: string
          tenant_id?: string
          updated_at?: string
        }
        Relationships: [
          {
            foreignKeyName: "views_tenant_id_fkey"
            columns: ["tenant_id"]
            isOneToOne: false
            referencedRelation: "tenants"
            referencedColumns: ["id"]
          },
        ]
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
        Relationships: []
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
          id: string
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
          filters: NonNullable<Json>
          header_names: string[]
          headers_changed_at: string | null
          id: string
          last_failure_at: string | null
          last_success_at: string | null
          max_per_minute: number | null
          oauth: Json | null
          oauth_changed_at: string | null
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
          filters?: NonNullable<Json>
          header_names?: string[]
          headers_changed_at?: string | null
          id?: string
          last_failure_at?: string | null
          last_success_at?: string | null
          max_per_minute?: number | null
          oauth?: Json | null
          oauth_changed_at?: string | null
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
          filters?: NonNullable<Json>
          header_names?: string[]
          headers_changed_at?: string | null
          id?: string
          last_failure_at?: string | null
          last_success_at?: string | null
          max_per_minute?: number | null
          oauth?: Json | null
          oauth_changed_at?: string | null
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
      accept_invitation: {
        Args: {
          origin: Json
          password_hash: string
          token_hash: string
          user_id: string
        }
        Returns: Json
      }
      add_evidence: { Args: { input: Json; request: Json }; Returns: Json }
      add_lines: { Args: { input: Json; request: Json }; Returns: Json }
      begin_session: { Args: { session: Json }; Returns: string }
      change_password: {
        Args: {
          issuer: string
          kept_session: string
          origin: Json
          password_hash: string
          user_id: string
        }
        Returns: Json
      }
      check_session: {
        Args: { idle_seconds: number; seen: boolean; session_id: string }
        Returns: Json
      }
      close_reconciliation: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      confirm_match: { Args: { input: Json; request: Json }; Returns: Json }
      continue_security_event_export: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      create_alert_channel: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      create_api_key: { Args: { input: Json; request: Json }; Returns: Json }
      create_calendar: { Args: { input: Json; request: Json }; Returns: Json }
      create_connection: { Args: { input: Json; request: Json }; Returns: Json }
      create_exception: { Args: { input: Json; request: Json }; Returns: Json }
      create_exception_comment: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      create_import: { Args: { input: Json; request: Json }; Returns: Json }
      create_invitation: { Args: { input: Json; request: Json }; Returns: Json }
      create_match: { Args: { input: Json; request: Json }; Returns: Json }
      create_reconciliation: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      create_record: { Args: { input: Json; request: Json }; Returns: Json }
      create_run: { Args: { input: Json; request: Json }; Returns: Json }
      create_sandbox: { Args: { input: Json; request: Json }; Returns: Json }
      create_source: { Args: { input: Json; request: Json }; Returns: Json }
      create_test_event: { Args: { input: Json; request: Json }; Returns: Json }
      create_view: { Args: { input: Json; request: Json }; Returns: Json }
      create_webhook: { Args: { input: Json; request: Json }; Returns: Json }
      decide_matches: { Args: { input: Json; request: Json }; Returns: Json }
      delete_alert_channel: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      delete_connection: { Args: { input: Json; request: Json }; Returns: Json }
      delete_record: { Args: { input: Json; request: Json }; Returns: Json }
      delete_view: { Args: { input: Json; request: Json }; Returns: Json }
      delete_webhook: { Args: { input: Json; request: Json }; Returns: Json }
      drop_import: { Args: { input: Json; request: Json }; Returns: Json }
      enable_webhook: { Args: { input: Json; request: Json }; Returns: Json }
      end_sessions: { Args: { input: Json; request: Json }; Returns: Json }
      estimate_api_key_impact: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      exclude_line: { Args: { input: Json; request: Json }; Returns: Json }
      fetch_connection: { Args: { input: Json; request: Json }; Returns: Json }
      find_api_key: { Args: { key_id: string }; Returns: Json }
      find_invitation: { Args: { token_hash: string }; Returns: Json }
      find_session_user: { Args: { user_id: string }; Returns: Json }
      finish_connection_test: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      get_alert_channel: { Args: { input: Json; request: Json }; Returns: Json }
      get_api_key: { Args: { input: Json; request: Json }; Returns: Json }
      get_api_key_usage: { Args: { input: Json; request: Json }; Returns: Json }
      get_calendar: { Args: { input: Json; request: Json }; Returns: Json }
      get_checklist: { Args: { input: Json; request: Json }; Returns: Json }
      get_closing_board: { Args: { input: Json; request: Json }; Returns: Json }
      get_connection: { Args: { input: Json; request: Json }; Returns: Json }
      get_delivery_stats: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      get_entry_batch: { Args: { input: Json; request: Json }; Returns: Json }
      get_entry_rules: { Args: { input: Json; request: Json }; Returns: Json }
      get_event: { Args: { input: Json; request: Json }; Returns: Json }
      get_evidence: { Args: { input: Json; request: Json }; Returns: Json }
      get_exception: { Args: { input: Json; request: Json }; Returns: Json }
      get_exception_ledger: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      get_first_steps: { Args: { input: Json; request: Json }; Returns: Json }
      get_import: { Args: { input: Json; request: Json }; Returns: Json }
      get_invitation: { Args: { input: Json; request: Json }; Returns: Json }
      get_line: { Args: { input: Json; request: Json }; Returns: Json }
      get_match: { Args: { input: Json; request: Json }; Returns: Json }
      get_me: { Args: { input: Json; request: Json }; Returns: Json }
      get_notification_settings: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      get_overview: { Args: { input: Json; request: Json }; Returns: Json }
      get_proof: { Args: { input: Json; request: Json }; Returns: Json }
      get_reconciliation: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      get_record: { Args: { input: Json; request: Json }; Returns: Json }
      get_request: { Args: { input: Json; request: Json }; Returns: Json }
      get_request_stats: { Args: { input: Json; request: Json }; Returns: Json }
      get_rules: { Args: { input: Json; request: Json }; Returns: Json }
      get_run: { Args: { input: Json; request: Json }; Returns: Json }
      get_security_event: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      get_signed_statement: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      get_sla_facets: { Args: { input: Json; request: Json }; Returns: Json }
      get_sla_policy: { Args: { input: Json; request: Json }; Returns: Json }
      get_sla_report: { Args: { input: Json; request: Json }; Returns: Json }
      get_source: { Args: { input: Json; request: Json }; Returns: Json }
      get_source_balance: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      get_statement: { Args: { input: Json; request: Json }; Returns: Json }
      get_tenant_member: { Args: { input: Json; request: Json }; Returns: Json }
      get_time_to_breach: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      get_view: { Args: { input: Json; request: Json }; Returns: Json }
      get_webhook: { Args: { input: Json; request: Json }; Returns: Json }
      get_webhook_delivery: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      get_webhook_stats: { Args: { input: Json; request: Json }; Returns: Json }
      import_exceptions: { Args: { input: Json; request: Json }; Returns: Json }
      include_line: { Args: { input: Json; request: Json }; Returns: Json }
      is_password_reset: { Args: { token_hash: string }; Returns: boolean }
      keep_import_chunk: { Args: { input: Json; request: Json }; Returns: Json }
      leave_session: { Args: { session_id: string }; Returns: undefined }
      list_alert_channels: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_api_keys: { Args: { input: Json; request: Json }; Returns: Json }
      list_bundle_events: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_calendar_versions: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_calendars: { Args: { input: Json; request: Json }; Returns: Json }
      list_connection_files: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_connections: { Args: { input: Json; request: Json }; Returns: Json }
      list_decisions: { Args: { input: Json; request: Json }; Returns: Json }
      list_deliveries: { Args: { input: Json; request: Json }; Returns: Json }
      list_entries: { Args: { input: Json; request: Json }; Returns: Json }
      list_entry_batches: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_events: { Args: { input: Json; request: Json }; Returns: Json }
      list_evidence: { Args: { input: Json; request: Json }; Returns: Json }
      list_exception_comments: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_exception_history: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_exceptions: { Args: { input: Json; request: Json }; Returns: Json }
      list_holidays: { Args: { input: Json; request: Json }; Returns: Json }
      list_imports: { Args: { input: Json; request: Json }; Returns: Json }
      list_invitations: { Args: { input: Json; request: Json }; Returns: Json }
      list_line_history: { Args: { input: Json; request: Json }; Returns: Json }
      list_line_suggestions: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_lines: { Args: { input: Json; request: Json }; Returns: Json }
      list_matches: { Args: { input: Json; request: Json }; Returns: Json }
      list_members: { Args: { input: Json; request: Json }; Returns: Json }
      list_newest_periods: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_open_hours: { Args: { input: Json; request: Json }; Returns: Json }
      list_open_lines: { Args: { input: Json; request: Json }; Returns: Json }
      list_reconciliations: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_records: { Args: { input: Json; request: Json }; Returns: Json }
      list_requests: { Args: { input: Json; request: Json }; Returns: Json }
      list_runs: { Args: { input: Json; request: Json }; Returns: Json }
      list_security_events: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_sessions: { Args: { input: Json; request: Json }; Returns: Json }
      list_signed_statements: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_sla_changes: { Args: { input: Json; request: Json }; Returns: Json }
      list_sla_exceptions: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_source_balances: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_sources: { Args: { input: Json; request: Json }; Returns: Json }
      list_statement_bundle: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_statement_items: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_suggestion_bands: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_tenant_members: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_views: { Args: { input: Json; request: Json }; Returns: Json }
      list_webhook_deliveries: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      list_webhooks: { Args: { input: Json; request: Json }; Returns: Json }
      mark_entry_batch_exported: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      open_connection_test: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      open_evidence: { Args: { input: Json; request: Json }; Returns: Json }
      open_evidence_content: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      open_import: { Args: { input: Json; request: Json }; Returns: Json }
      open_ledger_file: { Args: { input: Json; request: Json }; Returns: Json }
      open_next_periods: { Args: { input: Json; request: Json }; Returns: Json }
      open_security_event_chain: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      open_security_event_export: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      open_statement_bundle: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      pause_exception: { Args: { input: Json; request: Json }; Returns: Json }
      prepare_reconciliation: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      preview_entries: { Args: { input: Json; request: Json }; Returns: Json }
      preview_import: { Args: { input: Json; request: Json }; Returns: Json }
      preview_webhook_filters: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      push_entry_batch: { Args: { input: Json; request: Json }; Returns: Json }
      put_calendar: { Args: { input: Json; request: Json }; Returns: Json }
      put_entry_rules: { Args: { input: Json; request: Json }; Returns: Json }
      put_first_steps: { Args: { input: Json; request: Json }; Returns: Json }
      put_notification_settings: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      put_rules: { Args: { input: Json; request: Json }; Returns: Json }
      put_sla_policy: { Args: { input: Json; request: Json }; Returns: Json }
      read_evidence_part: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      read_ics: { Args: { input: Json; request: Json }; Returns: Json }
      readiness: { Args: Record<PropertyKey, never>; Returns: Json }
      record_api_key_usage: {
        Args: { batch: string; rows: Json }
        Returns: undefined
      }
      record_requests: { Args: { batch: string; rows: Json }; Returns: number }
      record_security_events: { Args: { events: Json }; Returns: undefined }
      recover_webhook: { Args: { input: Json; request: Json }; Returns: Json }
      reject_match: { Args: { input: Json; request: Json }; Returns: Json }
      remove_evidence: { Args: { input: Json; request: Json }; Returns: Json }
      remove_source_balance: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      remove_tenant_member: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      reopen_reconciliation: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      request_password_reset: { Args: { email: string }; Returns: undefined }
      resend_invitation: { Args: { input: Json; request: Json }; Returns: Json }
      resend_webhook_delivery: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      reset_password: {
        Args: {
          issuer: string
          origin: Json
          password_hash: string
          token_hash: string
        }
        Returns: Json
      }
      reset_sandbox: { Args: { input: Json; request: Json }; Returns: Json }
      restore_record: { Args: { input: Json; request: Json }; Returns: Json }
      resume_exception: { Args: { input: Json; request: Json }; Returns: Json }
      return_reconciliation: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      review_reconciliation: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      revoke_api_key: { Args: { input: Json; request: Json }; Returns: Json }
      revoke_invitation: { Args: { input: Json; request: Json }; Returns: Json }
      rotate_api_key: { Args: { input: Json; request: Json }; Returns: Json }
      rotate_webhook_secret: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      sample_suggestions: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      service_metrics: { Args: Record<PropertyKey, never>; Returns: Json }
      state_source_balance: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      test_alert_channel: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      test_webhook: { Args: { input: Json; request: Json }; Returns: Json }
      undo_decision: { Args: { input: Json; request: Json }; Returns: Json }
      undo_import: { Args: { input: Json; request: Json }; Returns: Json }
      undo_match: { Args: { input: Json; request: Json }; Returns: Json }
      update_alert_channel: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      update_api_key: { Args: { input: Json; request: Json }; Returns: Json }
      update_connection: { Args: { input: Json; request: Json }; Returns: Json }
      update_exception: { Args: { input: Json; request: Json }; Returns: Json }
      update_exceptions: { Args: { input: Json; request: Json }; Returns: Json }
      update_reconciliation: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      update_record: { Args: { input: Json; request: Json }; Returns: Json }
      update_source: { Args: { input: Json; request: Json }; Returns: Json }
      update_tenant_member: {
        Args: { input: Json; request: Json }
        Returns: Json
      }
      update_view: { Args: { input: Json; request: Json }; Returns: Json }
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
