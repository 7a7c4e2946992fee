"""The Tieout API, synchronous and asynchronous."""

from . import _types as types
from ._calls import AsyncExport, AsyncPages, Export, Options, Pages, Response
from ._client import AsyncTieout, Tieout
from ._errors import TieoutError
from ._money import to_decimal, to_minor
from ._webhooks import sign, unwrap

__all__ = [
    "AsyncExport",
    "AsyncPages",
    "AsyncTieout",
    "Export",
    "Options",
    "Pages",
    "Response",
    "Tieout",
    "TieoutError",
    "sign",
    "to_decimal",
    "to_minor",
    "types",
    "unwrap",
]
