#!/usr/bin/env node
// A driver to copy: SET NX PX and a compare-and-delete over a bare socket, with nothing but Node.
//
//     doublehold driver check -- node drivers/template.js
//     doublehold run --driver 'node drivers/template.js' --faults pause
//
// Put your own library into class Library. The rest is the protocol: docs/driver-protocol.md.
"use strict";
const crypto = require("node:crypto");
const fs = require("node:fs");
const net = require("node:net");
const path = require("node:path");
const readline = require("node:readline");
const { setTimeout: sleep } = require("node:timers/promises");

const DELETE = "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end";

class Redis { // replace it by your library
  constructor({ host, port }) {
    this.address = { host, port };
  }

  async call(...words) {
    if (!this.stream || this.stream.destroyed) this.stream = net.connect(this.address);
    const stream = this.stream;
    try {
      return await new Promise((resolve, reject) => {
        let reply = "";
        for (const event of ["data", "error", "close", "timeout"]) stream.removeAllListeners(event);
        stream.setTimeout(5000, () => stream.destroy(new Error("no reply within 5 s")));
        stream.on("error", reject).on("close", () => reject(new Error("the connection was closed")));
        stream.on("data", (bytes) => {
          reply += bytes;
          if (!reply.endsWith("\r\n")) return;
          if (reply[0] === "-") reject(new Error(reply.trim()));
          resolve(reply[0] === ":" ? Number(reply.slice(1)) : reply === "$-1\r\n" ? null : reply);
        });
        const parts = words.map((word) => `$${Buffer.byteLength(String(word))}\r\n${word}\r\n`);
        stream.write(`*${parts.length}\r\n${parts.join("")}`);
      });
    } catch (error) {
      stream.destroy(); // a late reply would be taken for another call's
      throw error;
    } finally {
      stream.setTimeout(0); // no timeout while the connection is idle
    }
  }
}

// One object for each session; one request at a time. null: refused. An exception: the outcome is
// unknown.
class Library {
  static NAME = "template";
  static VERSION = "1";
  static OPTIONS = { interval_ms: "5" }; // options with their defaults
  static can(options) { // throws for invalid options
    milliseconds(options, "interval_ms");
    return ["lease"];
  }

  // A library with lost-lock notifications calls `lost(grant)`.
  constructor(setup, options, _lost) {
    this.interval = milliseconds(options, "interval_ms"); // between two tries
    this.redis = new Redis(setup.nodes[0]);
    this.keys = new Map(); // by grant
  }

  async acquire({ key, lease_ms, wait_ms }) {
    const giveUp = performance.now() + wait_ms, owner = newGrant();
    for (;;) {
      const asked = monotonicNs();
      if (await this.redis.call("SET", key, owner, "NX", "PX", lease_ms)) {
        this.keys.set(owner, key);
        return { grant: owner, from_ns: asked }; // the lease counts from here
      }
      if (performance.now() >= giveUp) return null; // another owner has it
      await sleep(this.interval);
    }
  }

  async release({ grant }) {
    const key = this.keys.get(grant) ?? "";
    this.keys.delete(grant);
    return (await this.redis.call("EVAL", DELETE, 1, key, grant)) ? {} : null;
  }
}

// ---- helpers for drivers ----

const newGrant = () => crypto.randomBytes(8).toString("hex");
const monotonicNs = () => Number(process.hrtime.bigint()); // CLOCK_MONOTONIC

function milliseconds(options, name) {
  const number = Number(options[name]);
  if (options[name] === "" || !Number.isInteger(number) || number < 0 || number > 3600000)
    throw new Error(`${name} is a whole number of milliseconds, up to an hour, and not '${options[name]}'`);
  return number;
}

function oneOf(options, name, known) {
  if (!known.includes(options[name])) throw new Error(`${name} is one of ${known.join(", ")}, and not '${options[name]}'`);
  return options[name];
}

// For a library that does not report when its lease began: returns its client, which notes in `sent`
// when each SET was sent that set its key. A reply arrives by a promise or by a callback.
function noteGrants(client, sent) {
  const set = (key, ...words) => {
    const asked = monotonicNs();
    const note = (reply) => (reply && sent.set(key, asked), reply);
    const callback = words.at(-1);
    if (typeof callback !== "function") return client.set(key, ...words).then(note);
    return client.set(key, ...words.slice(0, -1), (error, reply) => callback(error, note(reply)));
  };
  return new Proxy(client, {
    get(_, name) {
      if (name === "set") return set;
      return typeof client[name] === "function" ? client[name].bind(client) : client[name];
    },
  });
}

// Returns the installed version, whatever was requested.
function versionOf(library) {
  const files = require.resolve.paths(library).map((folder) => path.join(folder, library, "package.json"));
  return JSON.parse(fs.readFileSync(files.find(fs.existsSync))).version.replace(/^v/, "");
}

// ---- the protocol ----

function serve(library) {
  let options = {}, sessions = [];
  const say = (object) => process.stdout.write(JSON.stringify(object) + "\n");
  const lost = (grant) => say({ lost: { grant } });
  const asked = {
    hello(request) {
      const known = library.OPTIONS;
      const unknown = Object.keys(request.options).filter((name) => !Object.hasOwn(known, name));
      if (unknown.length > 0)
        throw new Error(`no such option: ${unknown.join(", ")} (there is: ${Object.keys(known).join(", ")})`);
      options = { ...known, ...request.options };
      return { protocol: 1, name: library.NAME, version: library.VERSION, can: library.can(options) };
    },
    setup(request) {
      sessions = Array.from({ length: request.sessions }, () => new library(request, options, lost));
      return {};
    },
    acquire: (request) => sessions[request.session].acquire(request),
    extend: (request) => sessions[request.session].extend(request),
    release: (request) => sessions[request.session].release(request),
    bye: () => ({}),
  };
  // Errors in the library's background tasks are logged; the driver continues.
  for (const fallen of ["uncaughtException", "unhandledRejection"])
    process.on(fallen, (error) => console.error(`${fallen}:`, error));
  const lines = readline.createInterface({ input: process.stdin });
  lines.on("line", async (line) => {
    const request = JSON.parse(line);
    try {
      const done = await asked[request.op](request);
      say(done === null ? { id: request.id, no: {} } : { id: request.id, ok: done });
    } catch (error) {
      say({ id: request.id, error: { text: String(error) } });
    }
    if (request.op === "bye") process.exit(0);
  });
  lines.on("close", () => process.exit(0));
}

module.exports = { serve, newGrant, monotonicNs, milliseconds, oneOf, noteGrants, versionOf };
if (require.main === module) serve(Library);
