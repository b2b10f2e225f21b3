#!/usr/bin/env node
// @sesamecare-oss/redlock, as released: --driver sesamecare-redlock, or sesamecare-redlock@1.2.1.
// Uses a majority of the nodes, or the only node. --option using=yes: its `using`, which extends.
"use strict";
const Redis = require("ioredis");
const { Redlock, ResourceLockedError } = require("@sesamecare-oss/redlock");
const { serve, newGrant, monotonicNs, milliseconds, oneOf, versionOf } = require("template.js");

class Library {
  static NAME = "sesamecare-redlock";
  static VERSION = versionOf("@sesamecare-oss/redlock");
  static OPTIONS = { using: "no", retry_delay_ms: "200", retry_jitter_ms: "100", release_retries: "0", extension_threshold_ms: "500" };
  static can(options) {
    for (const name of Object.keys(Library.OPTIONS)) if (name !== "using") milliseconds(options, name);
    return oneOf(options, "using", ["yes", "no"]) === "yes" ? ["lease", "watchdog", "lost", "keys-together"] : ["lease", "extend", "keys-together"];
  }

  constructor(setup, options, lost) {
    const clients = setup.nodes.map(({ host, port }) => new Redis({ host, port }));
    for (const client of clients) client.on("error", (error) => console.error(String(error)));
    this.retryDelay = milliseconds(options, "retry_delay_ms");
    this.retryJitter = milliseconds(options, "retry_jitter_ms");
    this.redlock = new Redlock(clients, {
      retryCount: milliseconds(options, "release_retries"),
      retryDelay: this.retryDelay,
      retryJitter: this.retryJitter,
      automaticExtensionThreshold: milliseconds(options, "extension_threshold_ms"),
    });
    this.redlock.on("error", (error) => this.note(error));
    this.using = options.using === "yes";
    const shortest = this.redlock.settings.automaticExtensionThreshold + 100;
    if (this.using && setup.lease_ms < shortest)
      throw new Error(`using needs a lease of ${shortest} ms: extension_threshold_ms and 100 ms more`);
    this.lost = lost;
    this.locks = new Map(); // by grant
  }

  // A node's reply that another owner has the key arrives as an error, too.
  note(error) {
    if (error instanceof ResourceLockedError) return;
    console.error(String(error));
    this.failed = error;
  }

  async acquire({ key, also = [], lease_ms, wait_ms }) {
    const retryCount = Math.floor(wait_ms / Math.max(this.retryDelay + this.retryJitter, 1));
    const grant = newGrant(), asked = monotonicNs();
    const acquire = () => this.using
      ? this.enter([key, ...also], lease_ms, { retryCount }, grant)
      : this.redlock.acquire([key, ...also], lease_ms, { retryCount });
    return this.told(acquire, (lock) => {
      this.locks.set(grant, lock);
      return { grant, ...this.lease(lock, asked) };
    });
  }

  // Returns the lock of a `using` whose routine ends at the release.
  enter(keys, lease_ms, settings, grant) {
    return new Promise((resolve, reject) => {
      const ended = this.redlock.using(keys, lease_ms, settings, (signal, context) => new Promise((end) => {
        signal.addEventListener("abort", () => this.locks.has(grant) && this.lost(grant));
        resolve({ expiration: context.lock.expiration, release: () => (end(), ended) });
      }));
      ended.catch(reject);
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
    return lock ? this.told(() => lock.release(), () => ({})) : null;
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
      if (this.failed || error.name !== "ExecutionError") throw this.failed ?? error;
      return null;
    }
    return granted(lock);
  }
}

serve(Library);
