//! A real server on loopback, started by the test: the contract, and a server that goes away.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use oar_engine::document::rule::Action;
use oar_engine::state::{ActivityStore, CounterStore, RedisOptions, RedisStore};
use tempfile::TempDir;

use crate::contract::{self, key, read};

/// A server of this test alone; it ends with it.
pub(crate) struct Server {
    child: Child,
    port: u16,
    directory: TempDir,
}

impl Server {
    /// `None`, and a line that says so, where no server is installed. `OAR_REDIS=required`
    /// makes that a failure.
    pub(crate) fn start() -> Option<Self> {
        let directory = TempDir::new().unwrap();
        let port = free_port();
        let child = spawn(port, directory.path());
        if child.is_none() {
            skip("neither redis-server nor valkey-server is installed");
        }
        let server = Self { child: child?, port, directory };
        server.wait();
        Some(server)
    }

    pub(crate) fn address(&self) -> String {
        format!("redis://:secret@127.0.0.1:{}/", self.port)
    }

    fn connection(&self) -> redis::Connection {
        redis::Client::open(self.address()).unwrap().get_connection().unwrap()
    }

    fn wait(&self) {
        let began = Instant::now();
        let client = redis::Client::open(self.address()).unwrap();
        while client.get_connection().is_err() {
            assert!(began.elapsed() < Duration::from_secs(30), "the server does not answer");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn stop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn restart(&mut self) {
        self.child = spawn(self.port, self.directory.path()).unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _ended = self.child.wait();
    }
}

fn spawn(port: u16, directory: &Path) -> Option<Child> {
    let port = port.to_string();
    spawn_with(&["--port", &port, "--appendonly", "yes", "--appendfsync", "always"], directory)
}

/// A port that no other test of this process gets: a test must not talk to another one's server.
pub(crate) fn free_port() -> u16 {
    static GIVEN: Mutex<Vec<u16>> = Mutex::new(Vec::new());
    loop {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut given = GIVEN.lock().unwrap();
        if !given.contains(&port) {
            given.push(port);
            return port;
        }
    }
}

/// Says that a test is skipped, or fails where it must not be.
pub(crate) fn skip(reason: &str) {
    let required = std::env::var("OAR_REDIS").is_ok_and(|value| value == "required");
    assert!(!required, "{reason}");
    eprintln!("SKIPPED: {reason}");
}

/// A server with the password `secret`; `None` where none is installed.
pub(crate) fn spawn_with(arguments: &[&str], directory: &Path) -> Option<Child> {
    let start = |program: &str| {
        Command::new(program)
            .args(["--bind", "127.0.0.1", "--save", "", "--requirepass", "secret"])
            .args(arguments)
            .arg("--dir")
            .arg(directory)
            .stdout(Stdio::null())
            .spawn()
    };
    start("redis-server").or_else(|_| start("valkey-server")).ok()
}

fn store(server: &Server, deadline: u64) -> RedisStore {
    let options = RedisOptions::new().deadline(Duration::from_millis(deadline));
    RedisStore::with(&server.address(), options).unwrap()
}

#[test]
fn keeps_the_contract() {
    let Some(server) = Server::start() else { return };
    contract::holds(&|| Box::new(store(&server, 60_000)));
}

#[test]
fn a_counter_that_would_overflow_is_put_back_by_the_script() {
    let Some(server) = Server::start() else { return };
    let store = store(&server, 10_000);
    redis::cmd("HSET")
        .arg("oar:{s:s}:counters")
        .arg("f\0t/R")
        .arg(i64::MAX.to_string())
        .exec(&mut server.connection())
        .unwrap();
    let actions = [Action::IncrementBreaker, Action::IncrementCounter];
    let error = store.apply("s", key("t/R", None), &actions, &mut || Ok(())).unwrap_err();
    assert_eq!(error.to_string(), "a counter would pass 64 bits");
    assert_eq!(read(&store, "s", key("t/R", None)), (i64::MAX, 0));
}

#[test]
fn a_server_that_restarts_is_found_again_and_one_that_is_gone_fails_in_time() {
    let Some(mut server) = Server::start() else { return };
    let patient = store(&server, 20_000);
    let hasty = store(&server, 300);
    let apply = |store: &RedisStore| {
        store.apply("s", key("t/R", None), &[Action::IncrementCounter], &mut || Ok(()))
    };
    apply(&patient).unwrap();
    apply(&hasty).unwrap();
    server.stop();
    let began = Instant::now();
    let error = apply(&hasty).unwrap_err().to_string();
    assert!(error.starts_with("no answer within 300ms"), "{error}");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert!(!error.contains("secret"), "{error}");
    hasty.recent("s", 2).unwrap_err();
    // An event does not go out when the server is known to be gone.
    let mut published = false;
    let mut publish = || {
        published = true;
        Ok(())
    };
    let actions = [Action::PublishEvent, Action::IncrementCounter];
    hasty.apply("s", key("t/R", None), &actions, &mut publish).unwrap_err();
    assert!(!published);

    server.restart();
    assert_eq!(apply(&patient).unwrap().after.fire_count, 3);
}

#[test]
fn a_session_carries_one_hash_tag_and_a_time_to_live() {
    let Some(server) = Server::start() else { return };
    let options = RedisOptions::new().prefix("p:").time_to_live(Duration::from_secs(100));
    let store = RedisStore::with(&server.address(), options).unwrap();
    store.apply("a{b}%", key("t/R", None), &[Action::IncrementCounter], &mut || Ok(())).unwrap();
    store.admit("a{b}%", "read", 4).unwrap();
    let mut connection = server.connection();
    let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut connection).unwrap();
    assert_eq!(keys.len(), 4, "{keys:?}");
    for key in &keys {
        assert!(key.starts_with("p:{s:a%7Bb%7D%25}:"), "{key}");
        let left: i64 = redis::cmd("TTL").arg(key).query(&mut connection).unwrap();
        assert!((1..=100).contains(&left), "{key} {left}");
    }
    store.forget("a{b}%").unwrap();
    assert_eq!(read(&store, "a{b}%", key("t/R", None)), (0, 0));
    assert!(store.recent("a{b}%", 4).unwrap().is_empty());
}

#[test]
fn what_cannot_be_an_address_or_a_prefix_is_refused() {
    assert!(RedisStore::open("http://localhost").is_err());
    let error = RedisStore::with("redis://localhost", RedisOptions::new().prefix("{x}"));
    assert_eq!(error.unwrap_err().to_string(), "the prefix `{x}` holds a `{`");
    let wrong = "redis://:wrong@127.0.0.1:1/";
    assert!(!format!("{:?}", RedisStore::open(wrong).unwrap()).contains("wrong"));
}
