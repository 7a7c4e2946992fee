"""A nightly job against a running stack: two files in, a closed period and its statement out."""

from __future__ import annotations

import asyncio
import json
import os
import sys

from tieout import AsyncTieout, Tieout, to_decimal

OPTIONS = {
    "tenant": os.environ["TIEOUT_TENANT"],
    "base_url": os.environ["TIEOUT_URL"],
    "token": lambda: os.environ["TIEOUT_TOKEN"],
}


def nightly(bank_file: str, ledger_file: str) -> dict[str, object]:
    with Tieout(**OPTIONS) as tieout:
        bank = tieout.sources.create({"name": "Bank", "kind": "bank_statement", "currency": "EUR"})
        ledger = tieout.sources.create({"name": "Ledger", "kind": "ledger", "currency": "EUR"})
        period = tieout.reconciliations.create(
            {
                "name": "Bank, October 2026",
                "period_start": "2026-10-01",
                "period_end": "2026-10-31",
                "left_source_id": bank["id"],
                "right_source_id": ledger["id"],
            }
        )
        imported = [
            tieout.import_and_wait(source["id"], path)["accepted_count"]
            for source, path in ((bank, bank_file), (ledger, ledger_file))
        ]
        run = tieout.run_and_wait(period["id"])
        for match in tieout.reconciliations.list_matches(period["id"], state="suggested"):
            if (match["score"] or 0) >= 0.5:
                tieout.matches.confirm(match["id"])
        closed = tieout.close_and_wait(period["id"])
        statement = tieout.reconciliations.get_statement(period["id"])
        return {
            "imported": imported,
            "run": run["status"],
            "matched": closed["matched_count"],
            "differences": [
                str(to_decimal(one["difference_minor"], one["currency"]))
                for one in statement["differences"]
            ],
            "rows": sum(1 for _ in tieout.reconciliations.export_statement(period["id"])),
        }


async def read_events() -> list[str]:
    """The types of all events so far, by the client that waits for the next ones."""
    async with AsyncTieout(**OPTIONS) as tieout:
        types: list[str] = []
        async for event in tieout.poll_events():
            types.append(event["type"])
            if event["type"] == "reconciliation.closed":
                break
        return types


done = nightly(sys.argv[1], sys.argv[2])
print(json.dumps({**done, "events": asyncio.run(read_events())}))
