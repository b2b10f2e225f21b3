#!/usr/bin/env python3
"""django-pglock's advisory lock on PostgreSQL, as released: --driver django-pglock.

The lock belongs to the connection of its session's thread. There is no lease."""
import importlib.metadata, logging, secrets

from template import Driver

logging.disable(logging.CRITICAL)


class Library:
    NAME, VERSION, SERVICE = "django-pglock", importlib.metadata.version("django-pglock"), "postgres"
    OPTIONS = {}
    configured = False

    @staticmethod
    def can(options):
        return ["reentrant", "silent-release"]

    def __init__(self, setup, options):
        if not Library.configured:
            configure(setup["nodes"][0])
            Library.configured = True
        self.locks = {}  # by grant

    def acquire(self, key, lease_ms, wait_ms):
        import pglock
        from django.db import close_old_connections

        if not self.locks:
            close_old_connections()  # as Django does before each request
        lock = pglock.advisory(key, timeout=wait_ms / 1000)
        if not lock.acquire():
            return None
        grant = secrets.token_hex(8)
        self.locks[grant] = lock
        return {"grant": grant}

    def release(self, grant):  # the library does not say whether its session still had the lock
        lock = self.locks.pop(grant, None)
        if lock is None:
            return None
        lock.release()
        return {}


def configure(node):
    import django
    from django.conf import settings

    database = {"ENGINE": "django.db.backends.postgresql", "NAME": "doublehold", "USER": "doublehold",
                "HOST": node["host"], "PORT": node["port"], "CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True,
                "OPTIONS": {"sslmode": "disable"}}
    settings.configure(DATABASES={"default": database}, INSTALLED_APPS=["pgactivity", "pglock"])
    django.setup()


if __name__ == "__main__":
    Driver(Library).run()
