-- Written by `npm run generate` from engine/rules.ts: the rules of a pair for which nobody has set any.

create function private.default_rules() returns jsonb
language sql immutable set search_path = ''
return '[
  {"name":"Same reference and date","kind":"exact","on":["reference","value_date"],"then":"match"},
  {"name":"Same reference","kind":"exact","on":["reference"],"days_before":10,"days_after":31,"then":"match"},
  {"name":"Reversals","kind":"reversal","on":["reference"],"days_before":5,"days_after":45,"then":"match"},
  {"name":"Group key","kind":"group","on":["group_key"],"days_before":3,"days_after":10,"then":"match"},
  {"name":"Same amount","kind":"score","days_before":4,"days_after":12,"then":"match"},
  {"name":"Reference in text","kind":"reference","days_before":31,"days_after":31,"then":"match"},
  {"name":"Fees","kind":"score","amount_tolerance_bps":500,"amount_tolerance_minor":2500,"days_before":3,"days_after":12,"residual":"keep","then":"match"},
  {"name":"Sums","kind":"group","days_before":4,"days_after":10,"max_group_size":8,"then":"match"},
  {"name":"Part payments","kind":"score","amount_tolerance_bps":9500,"days_before":5,"days_after":31,"residual":"none","then":"suggest"}
]'::jsonb;
