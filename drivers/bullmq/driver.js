#!/usr/bin/env node
// BullMQ's job lock, as released: --driver bullmq, or bullmq@5.0.0. A key is a queue of at most one
// job. A session acquires the key by taking this job, and releases it by completing the job.
// --option kind=processor: a Worker with a processor, which renews the lock; or manual: getNextJob.
"use strict";
const { setTimeout: sleep } = require("node:timers/promises");
const { Queue, Worker } = require("bullmq");
const { serve, newGrant, monotonicNs, milliseconds, oneOf, versionOf } = require("template.js");

const JOB = { jobId: "lock", removeOnComplete: true, removeOnFail: true };
// Errors of a job that is not this worker's any more.
const REFUSED = /^(Missing (lock|key)|Lock mismatch) for job|^Job .* is not in the active state/;
const NOT_RENEWED = /^could not renew lock for job/;
// Older versions emit this error only if Redis answers with an error.
const [MAJOR, MINOR] = versionOf("bullmq").split(".").map(Number);
const NOTIFIES = MAJOR > 5 || (MAJOR === 5 && MINOR >= 33);

class Library {
  static NAME = "bullmq";
  static VERSION = versionOf("bullmq");
  static OPTIONS = {
    kind: "processor", renew: "yes", stalled_interval_ms: "", max_stalled_count: "1",
    add_interval_ms: "20",
  };
  static can(options) {
    milliseconds(options, "add_interval_ms");
    if (options.stalled_interval_ms !== "") milliseconds(options, "stalled_interval_ms");
    if (!/^\d{1,6}$/.test(options.max_stalled_count))
      throw new Error("max_stalled_count is a whole number of at most six digits");
    const renews = oneOf(options, "renew", ["yes", "no"]) === "yes";
    if (oneOf(options, "kind", ["processor", "manual"]) === "manual") return ["lease", "extend"];
    if (!renews) return ["lease"];
    return NOTIFIES ? ["lease", "watchdog", "lost"] : ["lease", "watchdog"];
  }

  constructor(setup, options, lost) {
    this.connection = setup.nodes[0];
    this.options = options;
    this.interval = milliseconds(options, "add_interval_ms");
    this.lost = lost;
    this.queues = new Map(); // by key
    this.held = new Map(); // by grant
  }

  async acquire({ key, lease_ms, wait_ms }) {
    await this.add(key);
    const take = this.options.kind === "manual" ? this.fetch : this.process;
    return take.call(this, key, lease_ms, wait_ms);
  }

  // Adds the job of the key. That does nothing while the job exists.
  async add(key) {
    const { connection } = this;
    if (!this.queues.has(key)) this.queues.set(key, logged(new Queue(nameOf(key), { connection })));
    await this.queues.get(key).add("lock", {}, JOB);
  }

  // A worker lives from an acquire to its release: without an end it would take the job again.
  worker(key, processor, lease_ms) {
    const { renew, stalled_interval_ms, max_stalled_count } = this.options;
    return logged(new Worker(nameOf(key), processor, {
      connection: this.connection,
      lockDuration: lease_ms,
      skipLockRenewal: renew === "no",
      stalledInterval: Number(stalled_interval_ms) || lease_ms,
      maxStalledCount: Number(max_stalled_count),
    }));
  }

  async process(key, lease_ms, wait_ms) {
    let worker, hold, gaveUp = false;
    const taken = new Promise((resolve) => {
      worker = this.worker(key, (job) => new Promise((end) => {
        if (gaveUp) return end(); // completes a job that the worker took while it closed
        resolve(hold = { worker, end, completed: completionOf(job) });
      }), lease_ms);
    });
    const triedOnce = new Promise((resolve) => worker.once("drained", resolve));
    const adding = setInterval(() => this.add(key).catch(log), this.interval);
    await Promise.race([taken, Promise.all([triedOnce, sleep(wait_ms)])]);
    clearInterval(adding);
    if (!hold) {
      gaveUp = true;
      await worker.close();
      return null;
    }
    const grant = newGrant();
    this.held.set(grant, { release: () => finish(hold) });
    worker.on("error", ({ message }) => {
      if (NOT_RENEWED.test(message) && this.held.has(grant)) this.lost(grant);
    });
    return { grant };
  }

  async fetch(key, lease_ms, wait_ms) {
    const giveUp = performance.now() + wait_ms, token = newGrant();
    const worker = this.worker(key, undefined, lease_ms);
    let job;
    try {
      await worker.startStalledCheckTimer();
      for (;;) {
        const asked = monotonicNs();
        job = await worker.getNextJob(token, { block: false });
        if (job) {
          this.held.set(token, {
            extend: async (ms) => ((await job.extendLock(token, ms)) ? {} : null),
            release: () => complete(job, token).finally(() => close(worker)),
          });
          return { grant: token, from_ns: asked };
        }
        if (performance.now() >= giveUp) return null;
        await sleep(this.interval);
        await this.add(key);
      }
    } finally {
      if (!job) await close(worker);
    }
  }

  async extend({ grant, lease_ms }) {
    return this.held.get(grant)?.extend(lease_ms) ?? null;
  }

  async release({ grant }) {
    const hold = this.held.get(grant);
    this.held.delete(grant);
    return hold ? hold.release() : null;
  }
}

// A queue's name has no colons. So Doublehold does not take the keys of a waiting job for a lock's.
const nameOf = (key) => key.replaceAll(":", ".");

const log = (error) => console.error(String(error));
const logged = (object) => object.on("error", log);
const close = (worker) => void worker.close().catch(log);

async function complete(job, token) {
  try {
    await job.moveToCompleted(null, token, false);
    return {};
  } catch (error) {
    if (REFUSED.test(error.message)) return null;
    throw error;
  }
}

// Returns the answer to a release: a closing worker does not report why it did not complete a job.
function completionOf(job) {
  const move = job.moveToCompleted.bind(job);
  return new Promise((resolve) => {
    job.moveToCompleted = async (...words) => {
      try {
        const next = await move(...words);
        resolve({});
        return next;
      } catch (error) {
        if (REFUSED.test(error.message)) resolve(null);
        throw error;
      }
    };
  });
}

// Closes the worker first: as it completes this job, a worker that goes on takes another.
async function finish({ worker, end, completed }) {
  const closed = worker.close();
  end();
  const answer = await Promise.race([completed, closed]);
  if (answer === undefined) throw new Error("the worker did not complete the job");
  return answer;
}

serve(Library);
