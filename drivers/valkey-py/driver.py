#!/usr/bin/env python3
"""valkey-py's Lock, as released: --driver valkey-py, or valkey-py@6.0.2."""
import importlib.metadata

import valkey
from redis_settings import CLIENT_OPTIONS, LockLibrary
from template import Driver


class Library(LockLibrary):
    NAME, VERSION = "valkey-py", importlib.metadata.version("valkey")
    OPTIONS = {**LockLibrary.OPTIONS, **CLIENT_OPTIONS}
    package, client = valkey, valkey.Valkey


if __name__ == "__main__":
    Driver(Library).run()
