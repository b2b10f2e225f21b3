#!/usr/bin/env node
// ioredis-lock, as released: --driver ioredis-lock, or ioredis-lock@3.4.0. A Lock object for each
// acquire.
"use strict";
const Redis = require("ioredis");
const { createLock, LockAcquisitionError, LockExtendError, LockReleaseError } = require("ioredis-lock");
const { serve, newGrant, monotonicNs, milliseconds, noteGrants, versionOf } = require("template.js");

class Library {
  static NAME = "ioredis-lock";
  static VERSION = versionOf("ioredis-lock");
  static OPTIONS = { delay_ms: "50" }; // the library's default
  static can(options) {
    milliseconds(options, "delay_ms");
    return ["lease", "extend"];
  }

  constructor(setup, options) {
    const client = new Redis(setup.nodes[0]);
    client.on("error", (error) => console.error(String(error)));
    this.sent = new Map(); // by key: when the last granted SET was sent
    this.client = noteGrants(client, this.sent);
    this.delay = milliseconds(options, "delay_ms");
    this.locks = new Map(); // by grant
  }

  async acquire({ key, lease_ms, wait_ms }) {
    const retries = Math.floor(wait_ms / Math.max(this.delay, 1));
    const lock = createLock(this.client, { timeout: lease_ms, retries, delay: this.delay });
    return this.told(lock.acquire(key), LockAcquisitionError, /^Could not acquire lock on /, () => {
      const grant = newGrant();
      this.locks.set(grant, lock);
      return { grant, from_ns: this.sent.get(key) };
    });
  }

  async extend({ grant, lease_ms }) {
    if (!this.locks.has(grant)) return null;
    const from_ns = monotonicNs();
    return this.told(this.locks.get(grant).extend(lease_ms), LockExtendError, / had expired$/, () => ({ from_ns }));
  }

  async release({ grant }) {
    const lock = this.locks.get(grant);
    this.locks.delete(grant);
    return lock ? this.told(lock.release(), LockReleaseError, / had expired$/, () => ({})) : null;
  }

  // The library throws the same exception for a refusal and for an error of the client; the text
  // differs.
  async told(call, Refusal, refused, done) {
    try {
      await call;
    } catch (error) {
      if (error instanceof Refusal && refused.test(error.message)) return null;
      throw error;
    }
    return done();
  }
}

serve(Library);
