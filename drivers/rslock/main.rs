//! rslock, as released: --driver rslock, or rslock@0.7.4. Uses a majority of the nodes, or the only
//! node.

mod protocol;

use protocol::{monotonic_ns, serve, version_of, whole_number, Outcome, Request};
use rslock::{Lock, LockError, LockManager};
use serde_json::json;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

// The library's defaults.
const DEFAULTS: &[(&str, &str)] = &[("tries", "3"), ("retry_delay_ms", "200")];

struct Settings {
    tries: u32,
    retry_delay: Duration, // the longest: the library waits at random
}

#[derive(Default)]
struct Library {
    settings: OnceLock<Settings>,
    manager: OnceLock<LockManager>,
    locks: Mutex<HashMap<String, Arc<Lock>>>, // by grant, which is the lock's value
}

impl Library {
    fn hello(&self, request: &Request) -> Outcome {
        let options = request.options(DEFAULTS)?;
        let settings = Settings {
            tries: whole_number(&options, "tries", 1)?,
            // With 0 the library panics.
            retry_delay: Duration::from_millis(whole_number(&options, "retry_delay_ms", 1)?.into()),
        };
        self.settings.set(settings).map_err(|_| "a second hello")?;
        let version = version_of("rslock", include_str!("Cargo.lock"));
        let can = ["lease", "extend", "silent-release"];
        Ok(Some(json!({"protocol": 1, "name": "rslock", "version": version, "can": can})))
    }

    fn set_up(&self, request: &Request) -> Outcome {
        let uris =
            request.addresses().iter().map(|address| format!("redis://{address}/")).collect();
        self.manager.set(LockManager::new(uris)).map_err(|_| "a second setup")?;
        done()
    }

    /// Returns a manager that tries as often as fits into `wait`.
    fn manager_for(&self, wait: Duration) -> Result<LockManager, String> {
        let mut manager = self.manager.get().ok_or("no setup")?.clone();
        let settings = self.settings.get().ok_or("no hello")?;
        let fitting = 1 + wait.as_millis() / settings.retry_delay.as_millis();
        manager.set_retry(fitting.min(settings.tries.into()) as u32, settings.retry_delay);
        Ok(manager)
    }

    async fn acquire(&self, request: &Request) -> Outcome {
        let manager = self.manager_for(request.milliseconds("wait_ms"))?;
        let asked_ns = monotonic_ns();
        let locked =
            manager.lock(request.text("key").as_bytes(), request.milliseconds("lease_ms")).await;
        let Some(lock) = granted(locked)? else {
            return Ok(None);
        };
        let grant: String = lock.val.iter().map(|byte| format!("{byte:02x}")).collect();
        let ok = json!({"grant": grant, "from_ns": asked_ns, "validity_ms": lock.validity_time});
        self.locks.lock().expect("no panic").insert(grant, Arc::new(lock));
        Ok(Some(ok))
    }

    async fn extend(&self, request: &Request) -> Outcome {
        let found = self.locks.lock().expect("no panic").get(&request.text("grant")).cloned();
        let Some(lock) = found else {
            return Ok(None);
        };
        let lease = request.milliseconds("lease_ms");
        let manager = self.manager_for(lease)?;
        let asked_ns = monotonic_ns();
        let extended = granted(manager.extend(&lock, lease).await)?;
        Ok(extended.map(|lock| json!({"from_ns": asked_ns, "validity_ms": lock.validity_time})))
    }

    /// The library's release returns nothing.
    async fn release(&self, request: &Request) -> Outcome {
        let found = self.locks.lock().expect("no panic").remove(&request.text("grant"));
        let Some(lock) = found else {
            return Ok(None);
        };
        self.manager_for(Duration::ZERO)?.unlock(&lock).await;
        done()
    }
}

/// Returns nothing if the library refused. It says how long a lock is valid, but not from when: the
/// driver counts from its call, so a wait for further tries makes the reported lease shorter.
fn granted(locked: Result<Lock, LockError>) -> Result<Option<Lock>, String> {
    match locked {
        Ok(lock) => Ok(Some(lock)),
        Err(LockError::Unavailable) => Ok(None),
        Err(error) => Err(error.to_string()), // after TtlExceeded the keys remain
    }
}

fn done() -> Outcome {
    Ok(Some(json!({})))
}

async fn answer(library: Arc<Library>, op: String, request: Request) -> Outcome {
    match op.as_str() {
        "hello" => library.hello(&request),
        "setup" => library.set_up(&request),
        "acquire" => library.acquire(&request).await,
        "extend" => library.extend(&request).await,
        "release" => library.release(&request).await,
        "bye" => done(),
        _ => Err(format!("no such op: {op}")),
    }
}

fn main() {
    serve(Library::default(), answer);
}
