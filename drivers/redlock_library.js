// What the drivers of redlock and its fork share: a Library but for its name, version and options.
"use strict";
const Redis = require("ioredis");
const { newGrant, monotonicNs } = require("./template.js");

class RedlockLibrary {
  constructor(Redlock, nodes, settings) {
    const clients = nodes.map(({ host, port }) => new Redis({ host, port }));
    for (const client of clients) client.on("error", (error) => console.error(String(error)));
    this.redlock = new Redlock(clients, settings);
    for (const event of ["error", "clientError"]) // the latter in version 4
      this.redlock.on(event, (error) => this.note(error));
    this.longestDelay = settings.retryDelay + settings.retryJitter;
    this.locks = new Map(); // by grant
  }

  // Except in version 4, a node's reply that another owner has the key arrives as an error, too.
  note(error) {
    if (error.name === "ResourceLockedError") return;
    console.error(String(error));
    this.failed = error;
  }

  async acquire({ key, also = [], lease_ms, wait_ms }) {
    const retryCount = Math.floor(wait_ms / Math.max(this.longestDelay, 1));
    const grant = newGrant(), asked = monotonicNs();
    const obtain = () => this.obtain([key, ...also], lease_ms, { retryCount }, grant);
    return this.told(obtain, (lock) => {
      this.locks.set(grant, lock);
      return { grant, ...this.lease(lock, asked) };
    });
  }

  obtain(keys, lease_ms, settings, _grant) {
    const acquire = this.redlock.acquireWithOptions ?? this.redlock.acquire; // version 4, 5
    return acquire.call(this.redlock, keys, lease_ms, settings);
  }

  async extend({ grant, lease_ms }) {
    if (!this.locks.has(grant)) return null;
    const asked = monotonicNs();
    return this.told(() => this.locks.get(grant).extend(lease_ms), (lock) => {
      this.locks.set(grant, lock);
      return this.lease(lock, asked);
    });
  }

  async release({ grant }) {
    const lock = this.locks.get(grant);
    this.locks.delete(grant);
    return lock ? this.told(() => (lock.release ?? lock.unlock).call(lock), () => ({})) : null;
  }

  // The end of the lease as the library reports it, by the wall clock. It may lie in the past.
  lease(lock, asked) {
    const now = monotonicNs(), rest_ms = Math.floor(lock.expiration - Date.now());
    if (rest_ms >= 0) return { validity_ms: rest_ms, from_ns: now };
    return { validity_ms: 0, from_ns: Math.max(asked, now + 1e6 * rest_ms) };
  }

  // The library throws the same exception, LockError in version 4, for a refusal and for
  // unreachable nodes; note() has seen the errors of unreachable nodes.
  async told(call, granted) {
    this.failed = null;
    let lock;
    try {
      lock = await call();
    } catch (error) {
      const refused = ["ExecutionError", "LockError"].includes(error.name);
      if (this.failed || !refused) throw this.failed ?? error;
      return null;
    }
    return granted(lock);
  }
}

module.exports = { RedlockLibrary };
