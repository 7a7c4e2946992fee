/** The columns of the wide list; narrower than that, a row is a card. */
export const COLUMNS =
  "@4xl:grid @4xl:grid-cols-[7.5rem_minmax(15rem,1fr)_8.5rem_10rem_9rem] @6xl:grid-cols-[7.5rem_minmax(16rem,1fr)_9.5rem_11rem_10rem_11rem] @4xl:gap-x-3";
