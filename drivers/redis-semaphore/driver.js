#!/usr/bin/env node
// redis-semaphore, as released: --driver redis-semaphore, or redis-semaphore@5.6.2. --option
// kind=mutex (Mutex), redlock (RedlockMutex over all nodes) or semaphore (Semaphore with a limit of
// one). It extends its locks itself, unless --option refresh=no.
"use strict";
const Redis = require("ioredis");
const { Mutex, RedlockMutex, Semaphore } = require("redis-semaphore");
const { serve, milliseconds, oneOf, versionOf } = require("template.js");

const KINDS = {
  mutex: (clients, key, settings) => new Mutex(clients[0], key, settings),
  redlock: (clients, key, settings) => new RedlockMutex(clients, key, settings),
  semaphore: (clients, key, settings) => new Semaphore(clients[0], key, 1, settings),
};

class Library {
  static NAME = "redis-semaphore";
  static VERSION = versionOf("redis-semaphore");
  // The interval is the library's default.
  static OPTIONS = { kind: "mutex", refresh: "yes", retry_interval_ms: "10" };
  static can(options) {
    oneOf(options, "kind", Object.keys(KINDS));
    milliseconds(options, "retry_interval_ms");
    return oneOf(options, "refresh", ["yes", "no"]) === "yes" ? ["lease", "watchdog", "lost", "silent-release"] : ["lease", "silent-release"];
  }

  constructor(setup, options, lost) {
    const nodes = options.kind === "redlock" ? setup.nodes : setup.nodes.slice(0, 1);
    this.clients = nodes.map(({ host, port }) => new Redis({ host, port }));
    for (const client of this.clients) client.on("error", (error) => console.error(String(error)));
    this.options = options;
    this.lost = lost;
    this.locks = new Map(); // by grant
  }

  async acquire({ key, lease_ms, wait_ms }) {
    const settings = { lockTimeout: lease_ms, retryInterval: milliseconds(this.options, "retry_interval_ms") };
    if (this.options.refresh === "no") settings.refreshInterval = 0;
    if (wait_ms > 0) settings.acquireTimeout = wait_ms;
    else settings.acquireAttemptsLimit = 1; // a timeout of 0 would mean no try at all
    settings.onLockLost = () => this.lost(lock.identifier);
    const lock = KINDS[this.options.kind](this.clients, key, settings);
    if (!(await lock.tryAcquire())) return null;
    this.locks.set(lock.identifier, lock);
    return { grant: lock.identifier };
  }

  // The library does not report whose lock a release freed, but it knows which locks it has seen
  // lost.
  async release({ grant }) {
    const lock = this.locks.get(grant);
    this.locks.delete(grant);
    const held = lock?.isAcquired ?? false;
    await lock?.release();
    return held ? {} : null;
  }
}

serve(Library);
