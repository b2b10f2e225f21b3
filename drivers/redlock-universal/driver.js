#!/usr/bin/env node
// redlock-universal, as released: --driver redlock-universal, or redlock-universal@0.7.7. --option
// kind=simple or lean (createLock, on one node) or redlock (createRedlock, of all nodes), and
// using=yes: its `using`, which extends the lock.
"use strict";
const { createLock, createRedlock, IoredisAdapter, NodeRedisAdapter, LockAcquisitionError } = require("redlock-universal");
const { serve, newGrant, monotonicNs, milliseconds, oneOf, versionOf } = require("template.js");

// The library's own adapter. It notes when the last try was sent, and errors: the library answers
// them as refusals.
const noting = (Adapter) => class extends Adapter {
  async setNX(...words) {
    this.asked = monotonicNs();
    return this.note(super.setNX(...words));
  }
  async delIfMatch(...words) {
    return this.note(super.delIfMatch(...words));
  }
  async extendIfMatch(...words) {
    return this.note(super.extendIfMatch(...words));
  }
  async note(call) {
    try {
      return await call;
    } catch (error) {
      console.error(String(error));
      this.failed = error;
      throw error;
    }
  }
};

const CLIENTS = {
  ioredis: ({ host, port }, settings) => {
    const Redis = require("ioredis");
    const client = new Redis({ host, port });
    client.on("error", (error) => console.error(String(error)));
    return new (noting(IoredisAdapter))(client, settings);
  },
  "node-redis-5": (node, settings) => connect(require("redis"), node, settings),
  "node-redis-4": (node, settings) => connect(require("redis-v4"), node, settings),
};

function connect({ createClient }, { host, port }, settings) {
  const client = createClient({ socket: { host, port } });
  client.on("error", (error) => console.error(String(error)));
  client.connect().catch((error) => console.error(String(error))); // commands wait for it
  return new (noting(NodeRedisAdapter))(client, settings);
}

const KINDS = {
  simple: (adapters, settings) => createLock({ adapter: adapters[0], ...settings }),
  lean: (adapters, settings) => createLock({ adapter: adapters[0], performance: "lean", ...settings }),
  redlock: (adapters, settings) => createRedlock({ adapters, ...settings }),
};

class Library {
  static NAME = "redlock-universal";
  static VERSION = versionOf("redlock-universal");
  static OPTIONS = { client: "ioredis", kind: "simple", using: "no", retry_delay_ms: "100", command_timeout_ms: "5000" };
  static can(options) {
    oneOf(options, "client", Object.keys(CLIENTS));
    oneOf(options, "kind", Object.keys(KINDS));
    for (const name of ["retry_delay_ms", "command_timeout_ms"]) milliseconds(options, name);
    return oneOf(options, "using", ["yes", "no"]) === "yes" ? ["lease", "watchdog", "lost", "silent-release"] : ["lease", "extend"];
  }

  constructor(setup, options, lost) {
    const nodes = options.kind === "redlock" ? setup.nodes : setup.nodes.slice(0, 1);
    const settings = { timeout: milliseconds(options, "command_timeout_ms") };
    this.adapters = nodes.map((node) => CLIENTS[options.client](node, settings));
    this.options = options;
    this.retryDelay = milliseconds(options, "retry_delay_ms");
    this.lost = lost;
    this.locks = new Map(); // by key and settings
    this.held = new Map(); // by grant: releases it
  }

  // One lock object for each key, as its circuit breaker needs it.
  lockOf(key, ttl, wait_ms) {
    const retryAttempts = Math.floor(wait_ms / Math.max(this.retryDelay, 1));
    const name = JSON.stringify([key, ttl, retryAttempts]);
    if (!this.locks.has(name))
      this.locks.set(name, KINDS[this.options.kind](this.adapters, { key, ttl, retryAttempts, retryDelay: this.retryDelay }));
    return this.locks.get(name);
  }

  async acquire({ key, lease_ms, wait_ms }) {
    const lock = this.lockOf(key, lease_ms, wait_ms), grant = newGrant();
    const acquire = () => (this.options.using === "yes" ? this.enter(lock, grant) : this.take(lock));
    return this.told(acquire, (held) => {
      this.held.set(grant, held);
      return { grant, from_ns: this.adapters[0].asked }; // the first of all nodes
    });
  }

  async take(lock) {
    const handle = await lock.acquire();
    return { release: () => lock.release(handle), extend: (ttl) => lock.extend(handle, ttl) };
  }

  // Returns the lock of a `using` whose routine ends at the release. It does not report what its
  // release freed, but it knows which locks it has seen lost.
  enter(lock, grant) {
    return new Promise((resolve, reject) => {
      const ended = lock.using((signal) => new Promise((end) => {
        signal.addEventListener("abort", () => this.held.has(grant) && this.lost(grant));
        resolve({ release: () => (end(!signal.aborted), ended) });
      }));
      ended.catch(reject);
    });
  }

  async extend({ grant, lease_ms }) {
    if (!this.held.has(grant)) return null;
    const from_ns = monotonicNs();
    return this.told(() => this.held.get(grant).extend(lease_ms), () => ({ from_ns }));
  }

  async release({ grant }) {
    const held = this.held.get(grant);
    this.held.delete(grant);
    if (!held) return null;
    return this.told(() => held.release(), () => ({}));
  }

  // A refusal after an error of a node is none: the node may have done what it was asked.
  async told(call, done) {
    for (const adapter of this.adapters) adapter.failed = null;
    const result = await call().catch((error) => {
      if (error instanceof LockAcquisitionError) return null;
      throw error;
    });
    if (result) return done(result);
    const failed = this.adapters.find((adapter) => adapter.failed);
    if (failed) throw failed.failed;
    return null;
  }
}

serve(Library);
