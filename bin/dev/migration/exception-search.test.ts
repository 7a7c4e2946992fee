import { expect, test } from "vitest";
import { databaseWithTwoTenants } from "./search-database.ts";

// What the search of exceptions finds, and by which index, in a tenant with many.

const MANY = 30_000;
const database = databaseWithTwoTenants(
  `alter table public.exceptions disable trigger user;
   insert into public.exceptions (id, tenant_id, title, severity, due_at, reason_code, created_by)
   select 'exc_' || lpad(to_hex(n), 32, '0'), case when n % 3 = 0 then 'globex' else 'acme' end,
     format('Payout %s has no bank line', n), 'low', now() + interval '1 day',
     case when n = 4 then 'lost_twice' end, 'user:ada'
   from generate_series(1, ${MANY}) n;
   analyze public.exceptions`,
);

const id = (n: number) => `exc_${n.toString(16).padStart(32, "0")}`;

/** The IDs on a page of two, with the extra one that shows that there are more. */
async function found(input: object): Promise<unknown[]> {
  const items = await database.page("public.list_exceptions", "listExceptions", input);
  return items.map((item) => item.id);
}

test.each([
  ["no words", {}, [29_999, 29_998, 29_996]],
  ["a common word", { q: "PAYOUT" }, [29_999, 29_998, 29_996]],
  ["words of a single old exception", { q: "line 20005 ayout" }, [20_005]],
  ["a reason code", { q: "lost_twice" }, [4]],
  ["a reason code by another character", { q: "lost%twice" }, []],
  ["another tenant's words", { q: "payout 29997 " }, []],
  ["the beginning of an id", { q: id(7).slice(0, -2) }, [254, 253, 251]],
  ["an id", { q: id(7).toUpperCase() }, [7]],
  ["an id and a word", { q: `${id(7)} bank` }, [7]],
  ["a page further on", { q: "payout", after: [id(29_996)] }, [29_995, 29_993, 29_992]],
  ["a filter", { q: "payout", status: "resolved" }, []],
])("finds by %s", async (_, input, numbers) => {
  expect(await found(input)).toEqual(numbers.map(id));
});

test("finds rare words by their index, without reading all rows", async () => {
  const scans = () =>
    database.count(
      "select pg_stat_get_numscans('public.exceptions_by_words'::regclass)::integer as count",
    );
  const before = await scans();
  expect(await found({ q: "lost_twice" })).toEqual([id(4)]);
  expect(await scans()).toBe(before + 1);
});
