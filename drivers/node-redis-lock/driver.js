#!/usr/bin/env node
// redis-lock for Node, as released: --driver node-redis-lock, or node-redis-lock@0.1.4.
"use strict";
const { promisify } = require("node:util");
const redisLock = require("redis-lock");
const { serve, newGrant, monotonicNs, milliseconds, noteGrants, versionOf } = require("template.js");

const VERSION = versionOf("redis-lock");

function connect({ host, port }) {
  const old = VERSION.startsWith("0."); // uses version 3 of node-redis, which connects by itself
  const client = old ? require("redis-v3").createClient({ host, port }) : require("redis").createClient({ socket: { host, port } });
  client.on("error", (error) => console.error(String(error)));
  if (!old) client.connect().catch((error) => console.error(String(error))); // commands wait for it
  return client;
}

class Library {
  static NAME = "node-redis-lock";
  static VERSION = VERSION;
  static OPTIONS = { retry_delay_ms: "50" }; // the library's default
  static can(options) {
    milliseconds(options, "retry_delay_ms");
    return ["lease", "blind-release"];
  }

  constructor(setup, options) {
    this.sent = new Map(); // by key of Redis: when the last granted SET was sent
    const lock = redisLock(noteGrants(connect(setup.nodes[0]), this.sent), milliseconds(options, "retry_delay_ms"));
    this.lock = lock[promisify.custom] ?? lock;
    this.pending = new Map(); // by key: the library's call, which nobody can end
    this.releases = new Map(); // by grant
  }

  // The library waits without a limit. After `wait_ms` the session is refused. The call goes on, and
  // serves the session's next acquire of the key; if there is none, its grant is released at once.
  async acquire({ key, lease_ms, wait_ms }) {
    const asked = monotonicNs();
    const call = this.pending.get(key) ?? this.begin(key, lease_ms);
    const done = await new Promise((resolve) => {
      const giveUp = () => {
        call.waiting = null;
        resolve(null);
      };
      const timer = setTimeout(giveUp, Math.max(wait_ms, 20)); // 20: for a single try
      call.waiting = (granted) => {
        clearTimeout(timer);
        resolve(granted);
      };
    });
    if (!done) return null;
    const grant = newGrant();
    this.releases.set(grant, done);
    return { grant, ...lease(this.sent.get(`lock.${key}`), asked, call.lease_ms) };
  }

  begin(key, lease_ms) {
    const call = { lease_ms, waiting: null };
    this.pending.set(key, call);
    this.lock(key, lease_ms).then((done) => {
      this.pending.delete(key);
      if (call.waiting) call.waiting(done);
      else done();
    });
    return call;
  }

  async release({ grant }) {
    const done = this.releases.get(grant);
    this.releases.delete(grant);
    return (await done?.()) ? {} : null; // undefined: by its own clock the lease is over
  }
}

// A lease that was sent before the request is shorter by the difference.
function lease(sent, asked, lease_ms) {
  const from_ns = Math.max(sent, asked);
  return { from_ns, validity_ms: Math.max(0, Math.floor(lease_ms - (from_ns - sent) / 1e6)) };
}

serve(Library);
