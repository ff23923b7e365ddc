//! Counters and activity on a Redis or Valkey server (feature `redis`).
//!
//! A snapshot is one round trip, and so are the actions of a rule: one script, which the server
//! runs as a whole. All keys of a session carry one hash tag, so that a cluster keeps them on
//! one node. A request that is sent again after a lost answer carries a token and counts once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use redis::{
    Client, Connection, ConnectionLike, IntoConnectionInfo, RedisError, RedisResult, Script,
};

#[cfg(feature = "redis-tls")]
mod tls;

use super::activity::ActivityStore;
use super::counters::{CounterChange, CounterKey, CounterStore, Counters, StoreError};
use super::events::EventError;
use crate::document::rule::Action;

/// The actions of one rule. KEYS: counters, token. ARGV: field of `fire_count`, field of
/// `breaker_count`, seconds to live (0: for ever), then the actions.
///
/// `HINCRBY` refuses to pass 64 bits; what came before it is then put back, within the script.
const APPLY: &str = r"
local told = redis.call('HMGET', KEYS[2], '1', '2', '3', '4')
if told[1] then return told end
local before = redis.call('HMGET', KEYS[1], ARGV[1], ARGV[2])
for i = 4, #ARGV do
  local field = ARGV[1]
  if string.find(ARGV[i], 'breaker', 1, true) then field = ARGV[2] end
  local reply
  if string.sub(ARGV[i], 1, 5) == 'reset' then
    reply = redis.pcall('HSET', KEYS[1], field, '0')
  else
    reply = redis.pcall('HINCRBY', KEYS[1], field, 1)
  end
  if type(reply) == 'table' and reply.err then
    for k = 1, 2 do
      if before[k] then redis.call('HSET', KEYS[1], ARGV[k], before[k])
      else redis.call('HDEL', KEYS[1], ARGV[k]) end
    end
    return redis.error_reply('OVERFLOW a counter would pass 64 bits')
  end
end
local after = redis.call('HMGET', KEYS[1], ARGV[1], ARGV[2])
if ARGV[3] ~= '0' then redis.call('EXPIRE', KEYS[1], ARGV[3]) end
local told = {before[1] or '0', before[2] or '0', after[1] or '0', after[2] or '0'}
redis.call('HSET', KEYS[2], '1', told[1], '2', told[2], '3', told[3], '4', told[4])
redis.call('EXPIRE', KEYS[2], 60)
return told
";

/// A step. KEYS: steps, token. ARGV: the tool, the window, seconds to live.
const ADMIT: &str = r"
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('SET', KEYS[2], '1', 'EX', 60)
redis.call('RPUSH', KEYS[1], ARGV[1])
redis.call('LTRIM', KEYS[1], -tonumber(ARGV[2]), -1)
if ARGV[3] ~= '0' then redis.call('EXPIRE', KEYS[1], ARGV[3]) end
return 1
";

/// How a [`RedisStore`] talks to its server.
#[derive(Clone)]
pub struct RedisOptions {
    prefix: String,
    time_to_live: Option<Duration>,
    deadline: Duration,
    /// The user, if one is named, and the password.
    credentials: Option<(Option<String>, String)>,
    #[cfg(feature = "redis-tls")]
    tls: tls::TlsOptions,
}

impl std::fmt::Debug for RedisOptions {
    /// No password, no key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedisOptions")
            .field("prefix", &self.prefix)
            .field("time_to_live", &self.time_to_live)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

impl RedisOptions {
    /// The prefix `oar:`, sessions that live for ever, a deadline of two seconds.
    #[must_use]
    pub fn new() -> Self {
        Self {
            prefix: "oar:".to_owned(),
            time_to_live: None,
            deadline: Duration::from_secs(2),
            credentials: None,
            #[cfg(feature = "redis-tls")]
            tls: tls::TlsOptions::default(),
        }
    }

    /// What every key begins with. It holds no `{`: that would take the place of the hash tag.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Forgets a session that nobody has used for so long, in whole seconds.
    #[must_use]
    pub fn time_to_live(mut self, time: Duration) -> Self {
        self.time_to_live = Some(time);
        self
    }

    /// How long one request may take, reconnections included, before it fails.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// The password, and the user where the server has users; they count in place of those of
    /// the address, which a log may show.
    #[must_use]
    pub fn credentials(mut self, user: Option<&str>, password: &str) -> Self {
        self.credentials = Some((user.map(str::to_owned), password.to_owned()));
        self
    }

    /// Trusts the authorities of these certificates in PEM form, and no others: not those of the
    /// machine either.
    #[cfg(feature = "redis-tls")]
    #[must_use]
    pub fn authorities(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.tls.authorities = Some(pem.into());
        self
    }

    /// Shows the server this certificate, in PEM form with its key.
    #[cfg(feature = "redis-tls")]
    #[must_use]
    pub fn certificate(mut self, pem: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Self {
        self.tls.certificate = Some((pem.into(), key.into()));
        self
    }
}

impl Default for RedisOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// Counters and activity on a server.
///
/// The address is a URL: `redis://host:6379/0`, with `user:password@` before the host, or
/// `rediss://` for TLS (feature `redis-tls`). Nothing is asked of the server until the first
/// request, so that a host begins without it and its rules say that it is gone.
///
/// ```no_run
/// use oar_engine::{Host, state::{RedisOptions, RedisStore}};
/// use std::time::Duration;
///
/// let options = RedisOptions::new().prefix("prod:oar:").time_to_live(Duration::from_secs(86_400));
/// let host = Host::new().store(RedisStore::with("redis://127.0.0.1/", options)?);
/// # let _ = host;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RedisStore {
    client: Client,
    options: RedisOptions,
    idle: Mutex<Vec<Connection>>,
    apply: Script,
    admit: Script,
    /// Tells this store's tokens from those of others.
    name: String,
    next: AtomicU64,
}

impl std::fmt::Debug for RedisStore {
    /// No address: it may hold a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedisStore").field("options", &self.options).finish_non_exhaustive()
    }
}

impl RedisStore {
    /// A store on the server of this address.
    ///
    /// # Errors
    /// When the address cannot be read, or names TLS without the feature for it.
    pub fn open(address: &str) -> Result<Self, StoreError> {
        Self::with(address, RedisOptions::new())
    }

    /// The same with options.
    ///
    /// # Errors
    /// As [`open`](Self::open), when the prefix holds a `{`, and when certificates cannot be read
    /// or the address does not ask for TLS, which they are for.
    pub fn with(address: &str, options: RedisOptions) -> Result<Self, StoreError> {
        if options.prefix.contains('{') {
            return Err(StoreError::new(format!("the prefix `{}` holds a `{{`", options.prefix)));
        }
        let client = client(address, &options).map_err(|error| StoreError::new(brief(&error)))?;
        let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        // Processes that share a number and a moment, on two machines, differ in this.
        let random = foldhash::quality::RandomState::default();
        let random = std::hash::BuildHasher::hash_one(&random, began);
        Ok(Self {
            client,
            options,
            idle: Mutex::default(),
            apply: Script::new(APPLY),
            admit: Script::new(ADMIT),
            name: format!("{:x}-{began:x}-{random:x}", std::process::id()),
            next: AtomicU64::new(0),
        })
    }

    /// Forgets a session that has ended.
    ///
    /// # Errors
    /// When the server does not do it in time.
    pub fn forget(&self, session: &str) -> Result<(), StoreError> {
        let keys = [self.key(session, "counters"), self.key(session, "steps")];
        self.request(|connection| redis::cmd("DEL").arg(&keys).exec(connection))
    }

    /// `prefix{s:session}:what`; the tag is never empty and holds no brace of the session's own.
    fn key(&self, session: &str, what: &str) -> String {
        let mut key = format!("{}{{s:", self.options.prefix);
        for character in session.chars() {
            match character {
                '%' => key.push_str("%25"),
                '{' => key.push_str("%7B"),
                '}' => key.push_str("%7D"),
                other => key.push(other),
            }
        }
        key.push_str("}:");
        key.push_str(what);
        key
    }

    fn token(&self, session: &str) -> String {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.key(session, &format!("token:{}:{number:x}", self.name))
    }

    /// Seconds; 0 is for ever.
    fn seconds(&self) -> u64 {
        self.options.time_to_live.map_or(0, |time| time.as_secs().max(1))
    }

    /// Asks until there is an answer or the deadline has passed, connecting again in between.
    fn request<T>(&self, ask: impl Fn(&mut Connection) -> RedisResult<T>) -> Result<T, StoreError> {
        let deadline = Instant::now() + self.options.deadline;
        let mut pause = Duration::from_millis(5);
        loop {
            match self.attempt(deadline, &ask) {
                Ok(answer) => return Ok(answer),
                Err(error) if !is_passing(&error) => return Err(StoreError::new(brief(&error))),
                Err(error) => {
                    if Instant::now() + pause >= deadline {
                        let waited = self.options.deadline;
                        let reason = format!("no answer within {waited:?}: {}", brief(&error));
                        return Err(StoreError::new(reason));
                    }
                    // Connections of the same age are as dead as this one.
                    lock(&self.idle).clear();
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(200));
                }
            }
        }
    }

    fn attempt<T>(
        &self,
        deadline: Instant,
        ask: impl Fn(&mut Connection) -> RedisResult<T>,
    ) -> RedisResult<T> {
        let left = || {
            let left = deadline.saturating_duration_since(Instant::now());
            left.max(Duration::from_millis(1))
        };
        let pooled = lock(&self.idle).pop();
        let mut connection = match pooled {
            Some(connection) => connection,
            None => self.client.get_connection_with_timeout(left())?,
        };
        connection.set_read_timeout(Some(left()))?;
        connection.set_write_timeout(Some(left()))?;
        let answer = ask(&mut connection)?;
        if connection.is_open() {
            lock(&self.idle).push(connection);
        }
        Ok(answer)
    }

    fn values(
        &self,
        session: &str,
        keys: &[CounterKey<'_>],
        values: &mut [Counters],
    ) -> Result<(), StoreError> {
        let key = self.key(session, "counters");
        let mut fields = Vec::with_capacity(2 * keys.len());
        for counter in keys {
            fields.extend([field('f', *counter), field('b', *counter)]);
        }
        if fields.is_empty() {
            return Ok(());
        }
        let seconds = self.seconds();
        let found: Vec<Option<i64>> = self.request(|connection| {
            let mut pipe = redis::pipe();
            pipe.cmd("HMGET").arg(&key).arg(&fields);
            if seconds > 0 {
                pipe.cmd("EXPIRE").arg(&key).arg(seconds).ignore();
            }
            let (found,): (Vec<Option<i64>>,) = pipe.query(connection)?;
            Ok(found)
        })?;
        let mut found = found.into_iter().map(Option::unwrap_or_default);
        for value in values {
            let mut next = || found.next().unwrap_or_default();
            *value = Counters { fire_count: next(), breaker_count: next() };
        }
        Ok(())
    }
}

/// A client of the server of this address; it connects when it is asked to.
fn client(address: &str, options: &RedisOptions) -> RedisResult<Client> {
    let mut info = address.into_connection_info()?;
    if let Some((user, password)) = &options.credentials {
        info.redis.username = user.clone();
        info.redis.password = Some(password.clone());
    }
    #[cfg(feature = "redis-tls")]
    return tls::client(info, &options.tls);
    #[cfg(not(feature = "redis-tls"))]
    Client::open(info)
}

/// The field of a counter: identifiers hold no NUL, and the scope comes last.
fn field(which: char, key: CounterKey<'_>) -> String {
    match key.scope {
        None => format!("{which}\0{}", key.rule),
        Some(scope) => format!("{which}\0{}\0{scope}", key.rule),
    }
}

/// Whether another attempt can help: the connection broke, or the server is not ready.
fn is_passing(error: &RedisError) -> bool {
    error.is_io_error()
        || error.is_connection_dropped()
        || matches!(error.code(), Some("LOADING" | "TRYAGAIN" | "BUSY"))
}

/// The error in one line.
fn brief(error: &RedisError) -> String {
    match (error.code(), error.detail()) {
        (Some("OVERFLOW"), Some(detail)) => detail.to_owned(),
        _ => format!("the server: {}", error.to_string().replace('\n', " ")),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CounterStore for RedisStore {
    fn read(
        &self,
        session: &str,
        keys: &[CounterKey<'_>],
        values: &mut [Counters],
    ) -> Result<(), StoreError> {
        self.values(session, keys, values)
    }

    /// A rule that publishes too costs a round trip more: the server is asked before the event
    /// goes out. Should the server be lost between the two, the event of an errored rule is out.
    fn apply(
        &self,
        session: &str,
        key: CounterKey<'_>,
        actions: &[Action],
        publish: &mut dyn FnMut() -> Result<(), EventError>,
    ) -> Result<CounterChange, StoreError> {
        if actions.contains(&Action::PublishEvent) {
            let mut before = [Counters::default()];
            self.values(session, &[key], &mut before)?;
            let [before] = before;
            before.after_all(actions)?;
        }
        publish()?;
        let mut call = self.apply.prepare_invoke();
        call.key(self.key(session, "counters")).key(self.token(session));
        call.arg(field('f', key)).arg(field('b', key)).arg(self.seconds());
        for action in actions.iter().filter(|action| **action != Action::PublishEvent) {
            call.arg(action.name());
        }
        let [fire, breaker, fire_after, breaker_after]: [i64; 4] =
            self.request(|connection| call.invoke(connection))?;
        Ok(CounterChange {
            before: Counters { fire_count: fire, breaker_count: breaker },
            after: Counters { fire_count: fire_after, breaker_count: breaker_after },
        })
    }
}

impl ActivityStore for RedisStore {
    fn recent(&self, session: &str, window: usize) -> Result<Vec<String>, StoreError> {
        if window == 0 {
            return Ok(Vec::new());
        }
        let window = i64::try_from(window).unwrap_or(i64::MAX);
        let (key, seconds) = (self.key(session, "steps"), self.seconds());
        self.request(|connection| {
            let mut pipe = redis::pipe();
            pipe.cmd("LRANGE").arg(&key).arg(-window).arg(-1);
            if seconds > 0 {
                pipe.cmd("EXPIRE").arg(&key).arg(seconds).ignore();
            }
            let (steps,): (Vec<String>,) = pipe.query(connection)?;
            Ok(steps)
        })
    }

    fn admit(&self, session: &str, tool: &str, window: usize) -> Result<(), StoreError> {
        let mut call = self.admit.prepare_invoke();
        call.key(self.key(session, "steps")).key(self.token(session));
        call.arg(tool).arg(window.max(1)).arg(self.seconds());
        self.request(|connection| call.invoke::<i64>(connection)).map(drop)
    }
}
