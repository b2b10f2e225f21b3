#!/usr/bin/env node
// @sesamecare-oss/redlock, as released: --driver sesamecare-redlock, or sesamecare-redlock@1.2.1.
// Uses a majority of the nodes, or the only node. --option using=yes: its `using`, which extends.
"use strict";
const { Redlock } = require("@sesamecare-oss/redlock");
const { RedlockLibrary } = require("redlock_library.js");
const { serve, milliseconds, oneOf, versionOf } = require("template.js");

class Library extends RedlockLibrary {
  static NAME = "sesamecare-redlock";
  static VERSION = versionOf("@sesamecare-oss/redlock");
  static OPTIONS = { using: "no", retry_delay_ms: "200", retry_jitter_ms: "100", release_retries: "0", extension_threshold_ms: "500" };
  static can(options) {
    for (const name of Object.keys(Library.OPTIONS)) if (name !== "using") milliseconds(options, name);
    return oneOf(options, "using", ["yes", "no"]) === "yes" ? ["lease", "watchdog", "lost", "keys-together"] : ["lease", "extend", "keys-together"];
  }

  constructor(setup, options, lost) {
    super(Redlock, setup.nodes, {
      retryCount: milliseconds(options, "release_retries"),
      retryDelay: milliseconds(options, "retry_delay_ms"),
      retryJitter: milliseconds(options, "retry_jitter_ms"),
      automaticExtensionThreshold: milliseconds(options, "extension_threshold_ms"),
    });
    this.using = options.using === "yes";
    const shortest = this.redlock.settings.automaticExtensionThreshold + 100;
    if (this.using && setup.lease_ms < shortest)
      throw new Error(`using needs a lease of ${shortest} ms: extension_threshold_ms and 100 ms more`);
    this.lost = lost;
  }

  // With `using`, returns the lock of one whose routine ends at the release.
  obtain(keys, lease_ms, settings, grant) {
    if (!this.using) return super.obtain(keys, lease_ms, settings);
    return new Promise((resolve, reject) => {
      const ended = this.redlock.using(keys, lease_ms, settings, (signal, context) => new Promise((end) => {
        signal.addEventListener("abort", () => this.locks.has(grant) && this.lost(grant));
        resolve({ expiration: context.lock.expiration, release: () => (end(), ended) });
      }));
      ended.catch(reject);
    });
  }
}

serve(Library);
