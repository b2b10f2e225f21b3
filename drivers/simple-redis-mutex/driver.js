#!/usr/bin/env node
// simple-redis-mutex, as released: --driver simple-redis-mutex, or simple-redis-mutex@2.1.0. All
// sessions share one client: the library allows no more in a process.
"use strict";
const { createClient } = require("redis");
const { lock, tryLock } = require("simple-redis-mutex");
const { serve, newGrant, milliseconds, noteGrants, versionOf } = require("template.js");

let client;
function connect({ host, port }) {
  client = createClient({ socket: { host, port } });
  client.on("error", (error) => console.error(String(error)));
  client.connect().catch((error) => console.error(String(error))); // commands wait for it
  return client;
}

class Library {
  static NAME = "simple-redis-mutex";
  static VERSION = versionOf("simple-redis-mutex");
  static OPTIONS = { polling_interval_ms: "10000" }; // the library's default
  static can(options) {
    milliseconds(options, "polling_interval_ms");
    return ["lease", "token", "silent-release"];
  }

  constructor(setup, options) {
    this.sent = new Map(); // by key of Redis: when the last granted SET was sent
    this.client = noteGrants(client ?? connect(setup.nodes[0]), this.sent);
    this.pollingInterval = milliseconds(options, "polling_interval_ms");
    this.releases = new Map(); // by grant
  }

  async acquire({ key, lease_ms, wait_ms }) {
    const release = await this.call(key, lease_ms, wait_ms);
    if (!release) return null;
    const grant = newGrant();
    this.releases.set(grant, release);
    return { grant, token: release.fencingToken, from_ns: this.sent.get(`@simple-redis-mutex:lock-${key}`) };
  }

  // Returns nothing for a refusal.
  async call(key, timeout, failAfter) {
    if (failAfter === 0) { // `lock` would fail before the first reply
      const [hasLock, release] = await tryLock(this.client, key, { timeout });
      return hasLock ? release : null;
    }
    let refused = false;
    const onFail = () => { refused = true; };
    try {
      return await lock(this.client, key, { timeout, pollingInterval: this.pollingInterval, failAfter, onFail });
    } catch (error) {
      if (refused) return null;
      throw error;
    }
  }

  async release({ grant }) {
    const release = this.releases.get(grant);
    this.releases.delete(grant);
    if (!release) return null;
    await release();
    return {};
  }
}

serve(Library);
