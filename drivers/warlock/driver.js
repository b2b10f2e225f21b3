#!/usr/bin/env node
// node-redis-warlock, as released: --driver warlock, or warlock@0.2.0. It waits in its
// `warlock.optimistic`.
"use strict";
const { createClient } = require("redis");
const Warlock = require("node-redis-warlock");
const { serve, newGrant, milliseconds, noteGrants, versionOf } = require("template.js");

class Library {
  static NAME = "warlock";
  static VERSION = versionOf("node-redis-warlock");
  static OPTIONS = { retry_wait_ms: "100" };
  static can(options) {
    milliseconds(options, "retry_wait_ms");
    return ["lease"];
  }

  constructor(setup, options) {
    const client = createClient(setup.nodes[0]);
    client.on("error", (error) => console.error(String(error)));
    this.sent = new Map(); // by key of Redis: when the last granted SET was sent
    this.warlock = Warlock(noteGrants(client, this.sent));
    this.wait = milliseconds(options, "retry_wait_ms");
    this.unlocks = new Map(); // by grant
  }

  async acquire({ key, lease_ms, wait_ms }) {
    const attempts = 1 + Math.floor(wait_ms / Math.max(this.wait, 1));
    return new Promise((resolve, reject) => {
      this.warlock.optimistic(key, lease_ms, attempts, this.wait, (error, unlock) => {
        if (error) return error.maxAttempts ? resolve(null) : reject(error);
        const grant = newGrant();
        this.unlocks.set(grant, unlock);
        return resolve({ grant, from_ns: this.sent.get(this.warlock.makeKey(key)) });
      });
    });
  }

  async release({ grant }) {
    const unlock = this.unlocks.get(grant);
    this.unlocks.delete(grant);
    if (!unlock) return null;
    return new Promise((resolve, reject) => {
      unlock((error, deleted) => (error ? reject(error) : resolve(deleted === 1 ? {} : null)));
    });
  }
}

serve(Library);
