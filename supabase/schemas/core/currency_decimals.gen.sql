-- Written by `npm run generate` from lib/wire/currencies.ts: the decimals of a currency.

create function private.currency_decimals(currency text) returns integer
language plpgsql immutable set search_path = '' as $$
begin
  return case
    when currency = any ('{BHD,IQD,JOD,KWD,LYD,OMR,TND}'::text[])
      then 3
    when currency = any ('{BIF,CLP,DJF,GNF,ISK,JPY,KMF,KRW,PYG,RWF,UGX,UYI,VND,VUV,XAF,XOF,XPF}'::text[])
      then 0
    when currency = any ('{CLF,UYW}'::text[])
      then 4
    else 2 end;
end $$;
