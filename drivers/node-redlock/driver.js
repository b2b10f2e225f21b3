#!/usr/bin/env node
// node-redlock, as released: --driver node-redlock (5), or node-redlock@4.2.0. Uses a majority of
// the nodes, or the only node.
"use strict";
const Redis = require("ioredis");
const redlock = require("redlock");
const { serve, newGrant, monotonicNs, milliseconds, versionOf } = require("template.js");

const Redlock = redlock.default ?? redlock; // version 5, version 4

class Library {
  static NAME = "node-redlock";
  static VERSION = versionOf("redlock");
  // Between two tries, plus or minus a half; the library's default.
  static OPTIONS = { retry_delay_ms: "200" };
  static can(options) {
    milliseconds(options, "retry_delay_ms");
    return ["lease", "extend", "keys-together"];
  }

  constructor(setup, options) {
    const clients = setup.nodes.map(({ host, port }) => new Redis({ host, port }));
    for (const client of clients) client.on("error", (error) => console.error(String(error)));
    this.retryDelay = milliseconds(options, "retry_delay_ms");
    this.retryJitter = Math.floor(this.retryDelay / 2);
    // No retries by default; an acquire has its own retry count. Otherwise version 5 would retry
    // the release of a lost lock for two seconds.
    this.redlock = new Redlock(clients, { retryCount: 0, retryDelay: this.retryDelay, retryJitter: this.retryJitter });
    // Version 5, version 4.
    for (const event of ["error", "clientError"]) this.redlock.on(event, (error) => this.note(error));
    this.locks = new Map(); // by grant
  }

  // In version 5, a node's reply that another owner has the key arrives as an error.
  note(error) {
    if (redlock.ResourceLockedError && error instanceof redlock.ResourceLockedError) return;
    console.error(String(error));
    this.failed = error;
  }

  async acquire({ key, also = [], lease_ms, wait_ms }) {
    const retryCount = Math.floor(wait_ms / Math.max(this.retryDelay + this.retryJitter, 1));
    const asked = monotonicNs();
    const acquire = () => this.redlock.acquireWithOptions // version 4
      ? this.redlock.acquireWithOptions([key, ...also], lease_ms, { retryCount })
      : this.redlock.acquire([key, ...also], lease_ms, { retryCount });
    return this.told(acquire, (lock) => {
      const grant = newGrant();
      this.locks.set(grant, lock);
      return { grant, ...this.lease(lock, asked) };
    });
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

  // The library throws the same exception for a refusal and for unreachable nodes; note() has seen
  // the errors of unreachable nodes.
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
