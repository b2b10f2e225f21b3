#!/usr/bin/env node
// node-redlock, as it was released: --driver node-redlock (5), or node-redlock@4.2.0. A majority of the nodes, or the one that there is.
"use strict";
const Redis = require("ioredis");
const redlock = require("redlock");
const { serve, newGrant, monotonicNs, milliseconds, versionOf } = require("template.js");

const Redlock = redlock.default ?? redlock; // 5, 4

class Library {
  static NAME = "node-redlock";
  static VERSION = versionOf("redlock");
  static OPTIONS = { retry_delay_ms: "200" }; // between two tries, half of it more or less; the library's own
  static can(options) {
    milliseconds(options, "retry_delay_ms");
    return ["lease", "extend"];
  }

  constructor(setup, options) {
    const clients = setup.nodes.map(({ host, port }) => new Redis({ host, port }));
    for (const client of clients) client.on("error", (error) => console.error(String(error)));
    this.retryDelay = milliseconds(options, "retry_delay_ms");
    this.retryJitter = Math.floor(this.retryDelay / 2);
    // What is no acquire is tried once: 5 would go on for two seconds with the release of a lock that is lost.
    this.redlock = new Redlock(clients, { retryCount: 0, retryDelay: this.retryDelay, retryJitter: this.retryJitter });
    for (const event of ["error", "clientError"]) this.redlock.on(event, (error) => this.note(error)); // 5, 4
    this.locks = new Map(); // by grant
  }

  // A node's answer that the key is another's comes as an error in 5.
  note(error) {
    if (redlock.ResourceLockedError && error instanceof redlock.ResourceLockedError) return;
    console.error(String(error));
    this.failed = error;
  }

  async acquire({ key, lease_ms, wait_ms }) {
    const retryCount = Math.floor(wait_ms / Math.max(this.retryDelay + this.retryJitter, 1));
    const acquire = () => this.redlock.acquireWithOptions // 4
      ? this.redlock.acquireWithOptions(key, lease_ms, { retryCount })
      : this.redlock.acquire([key], lease_ms, { retryCount });
    return this.told(acquire, (lock) => {
      const grant = newGrant();
      this.locks.set(grant, lock);
      return { grant, ...this.lease(lock) };
    });
  }

  async extend({ grant, lease_ms }) {
    if (!this.locks.has(grant)) return null;
    return this.told(() => this.locks.get(grant).extend(lease_ms), (lock) => {
      this.locks.set(grant, lock);
      return this.lease(lock);
    });
  }

  async release({ grant }) {
    const lock = this.locks.get(grant);
    this.locks.delete(grant);
    return lock ? this.told(() => (lock.release ?? lock.unlock).call(lock), () => ({})) : null;
  }

  // What the library says itself, by the wall clock: until when the lock is ours.
  lease(lock) {
    const from_ns = monotonicNs();
    return { validity_ms: Math.max(0, Math.floor(lock.expiration - Date.now())), from_ns };
  }

  // It throws the same for a refusal and for nodes that cannot be asked; of those it tells besides.
  async told(call, granted) {
    this.failed = null;
    let lock;
    try {
      lock = await call();
    } catch (error) {
      if (this.failed || !["ExecutionError", "LockError"].includes(error.name)) throw this.failed ?? error;
      return null;
    }
    return granted(lock);
  }
}

serve(Library);
