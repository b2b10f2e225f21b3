//! The driver protocol (docs/driver-protocol.md) for the bundled drivers in Rust. `kept.py` copies
//! it into each.

use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::future::Future;
use std::io::{stdin, stdout, BufRead, Write};
use std::sync::Arc;
use std::time::Duration;

/// One line of Doublehold's. A member that the line lacks is empty or 0.
pub struct Request(Value);

impl Request {
    pub fn text(&self, member: &str) -> String {
        self.0[member].as_str().unwrap_or_default().to_string()
    }

    pub fn milliseconds(&self, member: &str) -> Duration {
        Duration::from_millis(self.0[member].as_u64().unwrap_or_default())
    }

    /// Returns the nodes as "host:port".
    pub fn addresses(&self) -> Vec<String> {
        let nodes = self.0["nodes"].as_array().cloned().unwrap_or_default();
        nodes
            .iter()
            .map(|node| format!("{}:{}", node["host"].as_str().unwrap_or_default(), node["port"]))
            .collect()
    }

    /// Returns the options with the defaults of those that are not given.
    pub fn options(&self, defaults: &[(&str, &str)]) -> Result<BTreeMap<String, String>, String> {
        let mut all: BTreeMap<String, String> =
            defaults.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
        let names = all.keys().cloned().collect::<Vec<_>>().join(", ");
        for (name, text) in self.0["options"].as_object().into_iter().flatten() {
            let Some(known) = all.get_mut(name) else {
                return Err(format!("no such option: {name} (there is: {names})"));
            };
            *known = text.as_str().unwrap_or_default().to_string();
        }
        Ok(all)
    }
}

/// Returns an option's value, from `least` up to a million.
pub fn whole_number(
    options: &BTreeMap<String, String>,
    name: &str,
    least: u32,
) -> Result<u32, String> {
    let text = &options[name];
    match text.parse() {
        Ok(number) if (least..=1_000_000).contains(&number) => Ok(number),
        _ => Err(format!("{name} is a whole number from {least} up to 1000000, and not '{text}'")),
    }
}

/// Returns the version of a crate that was built in, whatever was requested. `lock` is the text of
/// Cargo.lock.
pub fn version_of(name: &str, lock: &str) -> String {
    let entry =
        lock.split("[[package]]").find(|entry| entry.contains(&format!("name = \"{name}\"\n")));
    let version = entry.and_then(|entry| entry.split("version = \"").nth(1)?.split('"').next());
    version.unwrap_or("unknown").to_string()
}

/// Returns CLOCK_MONOTONIC, which std::time::Instant does not expose.
pub fn monotonic_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to `now` alone.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// None: refused. An error: the outcome is unknown.
pub type Outcome = Result<Option<Value>, String>;

fn write(id: Value, outcome: Outcome) {
    let line = match outcome {
        Ok(Some(done)) => json!({"id": id, "ok": done}),
        Ok(None) => json!({"id": id, "no": {}}),
        Err(text) => json!({"id": id, "error": {"text": text}}),
    };
    let mut out = stdout().lock();
    // Nobody reads the answers of a run that has ended.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Answers requests until the end of standard input. Those of different sessions run at once.
pub fn serve<L, F>(library: L, answer: fn(Arc<L>, String, Request) -> F)
where
    L: Send + Sync + 'static,
    F: Future<Output = Outcome> + Send + 'static,
{
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("threads");
    let library = Arc::new(library);
    for line in stdin().lock().lines() {
        let line = line.expect("standard input is text");
        let request = Request(serde_json::from_str(&line).expect("a request is JSON"));
        let (id, op, library) = (request.0["id"].clone(), request.text("op"), library.clone());
        let in_session = ["acquire", "extend", "release"].contains(&op.as_str());
        let ends = op == "bye";
        let answering = async move { write(id, answer(library, op, request).await) };
        if in_session {
            runtime.spawn(answering);
        } else {
            runtime.block_on(answering);
        }
        if ends {
            break;
        }
    }
    runtime.shutdown_background();
}
