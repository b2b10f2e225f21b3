#!/usr/bin/env node
// node-redlock, as released: --driver node-redlock (5), or node-redlock@4.2.0. Uses a majority of
// the nodes, or the only node.
"use strict";
const redlock = require("redlock");
const { RedlockLibrary } = require("redlock_library.js");
const { serve, milliseconds, versionOf } = require("template.js");

class Library extends RedlockLibrary {
  static NAME = "node-redlock";
  static VERSION = versionOf("redlock");
  // Between two tries, plus or minus a half; the library's default.
  static OPTIONS = { retry_delay_ms: "200" };
  static can(options) {
    milliseconds(options, "retry_delay_ms");
    return ["lease", "extend", "keys-together"];
  }

  constructor(setup, options) {
    const retryDelay = milliseconds(options, "retry_delay_ms");
    // No retries by default; an acquire has its own retry count. Otherwise version 5 would retry
    // the release of a lost lock for two seconds.
    const settings = { retryCount: 0, retryDelay, retryJitter: Math.floor(retryDelay / 2) };
    super(redlock.default ?? redlock, setup.nodes, settings); // version 5, version 4
  }
}

serve(Library);
