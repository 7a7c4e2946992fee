-- reference in text

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.default_rules()
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '[{"on": ["reference", "value_date"], "kind": "exact", "name": "Same reference and date", "then": "match"}, {"on": ["reference"], "kind": "exact", "name": "Same reference", "then": "match", "days_after": 31, "days_before": 10}, {"on": ["reference"], "kind": "reversal", "name": "Reversals", "then": "match", "days_after": 45, "days_before": 5}, {"on": ["group_key"], "kind": "group", "name": "Group key", "then": "match", "days_after": 10, "days_before": 3}, {"kind": "score", "name": "Same amount", "then": "match", "days_after": 12, "days_before": 4}, {"kind": "reference", "name": "Reference in text", "then": "match", "days_after": 31, "days_before": 31}, {"kind": "score", "name": "Fees", "then": "match", "residual": "keep", "days_after": 12, "days_before": 3, "amount_tolerance_bps": 500, "amount_tolerance_minor": 2500}, {"kind": "group", "name": "Sums", "then": "match", "days_after": 10, "days_before": 4, "max_group_size": 8}, {"kind": "score", "name": "Part payments", "then": "suggest", "residual": "none", "days_after": 31, "days_before": 5, "amount_tolerance_bps": 9500}]'::jsonb;
