//! Counters and activity in a SQLite file that several processes share (feature `sqlite`).
//!
//! The file is in write-ahead mode: readers do not wait, writers wait for each other up to a
//! deadline. The actions of a rule are one transaction, so a process that is killed leaves all
//! of them or none. See [`Durability`] for what a power cut can lose.

use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior, params};

use super::activity::ActivityStore;
use super::counters::{CounterChange, CounterKey, CounterStore, Counters, StoreError};
use super::events::EventError;
use crate::document::rule::Action;

/// Says that a file is ours: `OARs`.
const APPLICATION: i64 = 0x4f41_5273;

/// The schema, one step a version; a file of an older version takes the steps that it lacks.
const MIGRATIONS: [&str; 2] = [
    "CREATE TABLE session (
         id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, touched INTEGER NOT NULL);
     CREATE TABLE counter (
         session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
         rule TEXT NOT NULL, scoped INTEGER NOT NULL, scope TEXT NOT NULL,
         fire_count INTEGER NOT NULL, breaker_count INTEGER NOT NULL,
         PRIMARY KEY (session, rule, scoped, scope)) WITHOUT ROWID;
     CREATE INDEX session_touched ON session (touched);",
    "CREATE TABLE step (
         id INTEGER PRIMARY KEY AUTOINCREMENT,
         session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
         tool TEXT NOT NULL);
     CREATE INDEX step_session ON step (session, id);",
];

/// How often a session that is only read is noted as being in use.
const TOUCH_EVERY: i64 = 3600;

/// What survives a power cut. Neither setting loses anything when a process is killed, and
/// neither leaves a file that does not open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Durability {
    /// `synchronous = NORMAL`: a power cut can take back the newest transactions, each as a
    /// whole; the counters are then as they were some moments before.
    #[default]
    Process,
    /// `synchronous = FULL`: each transaction is on the disk before the decision is told.
    PowerCut,
}

/// How a [`SqliteStore`] is opened.
#[derive(Clone, Copy, Debug)]
pub struct SqliteOptions {
    durability: Durability,
    deadline: Duration,
}

impl SqliteOptions {
    /// [`Durability::Process`], and a deadline of two seconds.
    #[must_use]
    pub fn new() -> Self {
        Self { durability: Durability::default(), deadline: Duration::from_secs(2) }
    }

    /// What survives a power cut.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// How long one request may wait for other writers before it fails.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// Counters and activity in a file.
///
/// ```
/// use oar_engine::state::{CounterKey, CounterStore, Counters, SqliteStore};
/// use oar_engine::document::rule::Action;
///
/// let directory = tempfile::tempdir()?;
/// let key = CounterKey { rule: "acme/R", scope: None };
/// let store = SqliteStore::open(directory.path().join("oar.db"))?;
/// store.apply("s1", key, &[Action::IncrementCounter], &mut || Ok(()))?;
/// drop(store); // the process ends, another begins
///
/// let store = SqliteStore::open(directory.path().join("oar.db"))?;
/// let mut values = [Counters::default()];
/// store.read("s1", &[key], &mut values)?;
/// assert_eq!(values[0].fire_count, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    options: SqliteOptions,
    /// SQLite lets one connection write at a time. Threads of a process wait here, where they
    /// are woken at once; processes wait in SQLite, which looks again from time to time.
    writer: Mutex<Option<Connection>>,
    writer_back: Condvar,
    readers: Mutex<Vec<Connection>>,
}

impl SqliteStore {
    /// Opens a file, and makes it if it is not there. A file that others write is opened at once;
    /// where it is made or migrated, it is waited for, up to the deadline.
    ///
    /// # Errors
    /// When it cannot be opened, stays busy, is not a store, or was written by a newer version.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::with(path, SqliteOptions::new())
    }

    /// The same with options.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn with(path: impl AsRef<Path>, options: SqliteOptions) -> Result<Self, StoreError> {
        let path = path.as_ref().to_owned();
        let deadline = Instant::now() + options.deadline;
        let mut writer = connect(&path, &options, deadline)?;
        patiently(&path, &options, deadline, || migrate(&mut writer, &path))?;
        Ok(Self {
            path,
            options,
            writer: Mutex::new(Some(writer)),
            writer_back: Condvar::new(),
            readers: Mutex::default(),
        })
    }

    /// Forgets a session that has ended.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn forget(&self, session: &str) -> Result<(), StoreError> {
        self.write(|connection| {
            connection.prepare_cached("DELETE FROM session WHERE name = ?1")?.execute([session])?;
            Ok(())
        })
    }

    /// Forgets the sessions that nobody has used for `idle`, and says how many they were.
    ///
    /// Use is noted at every write, and at reads once an hour: an `idle` below two hours can
    /// forget a session that is being read.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn expire(&self, idle: Duration) -> Result<usize, StoreError> {
        let idle = i64::try_from(idle.as_secs()).unwrap_or(i64::MAX);
        let before = now().saturating_sub(idle);
        self.write(|connection| {
            Ok(connection
                .prepare_cached("DELETE FROM session WHERE touched <= ?1")?
                .execute([before])?)
        })
    }

    /// Runs one transaction on the connection that writes, within the deadline.
    fn write<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Trouble>,
    ) -> Result<T, StoreError> {
        let deadline = Instant::now() + self.options.deadline;
        let mut lent = self.lend(deadline)?;
        let connection = lent.connection.as_mut().ok_or_else(closed)?;
        let run = || -> Result<T, Trouble> {
            connection.busy_timeout(deadline.saturating_duration_since(Instant::now()))?;
            // It takes the write lock at once: what is read is what will be changed.
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        };
        run().map_err(|trouble| self.tell(trouble))
    }

    /// Waits for the connection that writes.
    fn lend(&self, deadline: Instant) -> Result<Lent<'_>, StoreError> {
        let mut slot = lock(&self.writer);
        loop {
            if let Some(connection) = slot.take() {
                return Ok(Lent { store: self, connection: Some(connection) });
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(self.late());
            }
            slot =
                self.writer_back.wait_timeout(slot, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Reads at one moment.
    fn read_with<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Trouble>,
    ) -> Result<T, StoreError> {
        let pooled = lock(&self.readers).pop();
        let mut connection = match pooled {
            Some(connection) => connection,
            None => connect(&self.path, &self.options, Instant::now() + self.options.deadline)?,
        };
        let run = || -> Result<T, Trouble> {
            let transaction = connection.transaction()?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        };
        let result = run();
        lock(&self.readers).push(connection);
        result.map_err(|trouble| self.tell(trouble))
    }

    /// Notes that a session is in use, if that was not noted lately. A failure is no loss yet:
    /// the next read tries again.
    fn touch(&self, session: &str, touched: Option<i64>) {
        if touched.is_some_and(|touched| touched.saturating_add(TOUCH_EVERY) < now()) {
            let _next_time = self.write(|connection| Ok(begin(connection, session).map(drop)?));
        }
    }

    fn tell(&self, trouble: Trouble) -> StoreError {
        trouble.told(&self.path, &self.options)
    }

    fn late(&self) -> StoreError {
        late(&self.path, &self.options)
    }
}

/// The connection that writes, which goes back when this is dropped, after a panic too.
struct Lent<'s> {
    store: &'s SqliteStore,
    connection: Option<Connection>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        *lock(&self.store.writer) = self.connection.take();
        self.store.writer_back.notify_one();
    }
}

/// What stopped a transaction.
enum Trouble {
    Sql(rusqlite::Error),
    Store(StoreError),
}

impl Trouble {
    fn told(self, path: &Path, options: &SqliteOptions) -> StoreError {
        match self {
            Self::Store(error) => error,
            Self::Sql(error) if is_busy(&error) => late(path, options),
            Self::Sql(error) => StoreError::new(format!("`{}`: {error}", path.display())),
        }
    }
}

fn late(path: &Path, options: &SqliteOptions) -> StoreError {
    let waited = options.deadline;
    StoreError::new(format!("`{}` was busy for {waited:?}", path.display()))
}

/// Tries until the file is not busy or the deadline has passed. SQLite waits by itself for a lock
/// that it queues for, but not where it changes the journal or finds one to recover.
fn patiently<T>(
    path: &Path,
    options: &SqliteOptions,
    deadline: Instant,
    mut work: impl FnMut() -> Result<T, Trouble>,
) -> Result<T, StoreError> {
    loop {
        match work() {
            Err(Trouble::Sql(error)) if is_busy(&error) && Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(5));
            }
            done => return done.map_err(|trouble| trouble.told(path, options)),
        }
    }
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<EventError> for Trouble {
    fn from(error: EventError) -> Self {
        Self::Store(error.into())
    }
}

fn closed() -> StoreError {
    StoreError::new("the store has no connection")
}

fn is_busy(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
    matches!(error.sqlite_error_code(), Some(DatabaseBusy | DatabaseLocked))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Seconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

fn connect(
    path: &Path,
    options: &SqliteOptions,
    deadline: Instant,
) -> Result<Connection, StoreError> {
    patiently(path, options, deadline, || {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(options.deadline)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        let synchronous = match options.durability {
            Durability::Process => "NORMAL",
            Durability::PowerCut => "FULL",
        };
        connection.pragma_update(None, "synchronous", synchronous)?;
        // A process that decides one thing and ends would empty the log into the file each time,
        // and wait for the disk; once there is enough of it, whoever writes does so.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        Ok(connection)
    })
}

/// Brings a file to the newest schema, in one transaction.
fn migrate(connection: &mut Connection, path: &Path) -> Result<(), Trouble> {
    let refuse = |reason: String| StoreError::new(format!("`{}` {reason}", path.display()));
    let own = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    let pragma = |connection: &Connection, name: &str| -> rusqlite::Result<i64> {
        connection.pragma_query_value(None, name, |row| row.get(0))
    };
    let stand = |connection: &Connection| -> rusqlite::Result<(i64, i64)> {
        Ok((pragma(connection, "application_id")?, pragma(connection, "user_version")?))
    };
    // Who only looks does not wait for writers, which a process that begins often would.
    if stand(connection)? == (APPLICATION, own) {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let (application, version) = stand(&transaction)?;
    let tables: i64 =
        transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if application != APPLICATION && tables > 0 {
        return Err(refuse("is a database of another program".to_owned()).into());
    }
    if version > own {
        let reason = format!("has schema version {version}; this program knows {own}");
        return Err(refuse(reason).into());
    }
    let taken = usize::try_from(version).unwrap_or_default();
    for step in MIGRATIONS.iter().skip(taken) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", own)?;
    transaction.commit()?;
    Ok(())
}

/// The row of a session, made or noted as in use.
fn begin(connection: &Connection, session: &str) -> rusqlite::Result<i64> {
    connection
        .prepare_cached(
            "INSERT INTO session (name, touched) VALUES (?1, ?2)
             ON CONFLICT (name) DO UPDATE SET touched = excluded.touched RETURNING id",
        )?
        .query_row(params![session, now()], |row| row.get(0))
}

fn find(connection: &Connection, session: &str) -> rusqlite::Result<Option<(i64, i64)>> {
    connection
        .prepare_cached("SELECT id, touched FROM session WHERE name = ?1")?
        .query_row([session], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}

fn counters(
    connection: &Connection,
    session: i64,
    key: CounterKey<'_>,
) -> rusqlite::Result<Counters> {
    let found = connection
        .prepare_cached(
            "SELECT fire_count, breaker_count FROM counter
             WHERE session = ?1 AND rule = ?2 AND scoped = ?3 AND scope = ?4",
        )?
        .query_row(
            params![session, key.rule, key.scope.is_some(), key.scope.unwrap_or_default()],
            |row| Ok(Counters { fire_count: row.get(0)?, breaker_count: row.get(1)? }),
        )
        .optional()?;
    Ok(found.unwrap_or_default())
}

impl CounterStore for SqliteStore {
    fn read(
        &self,
        session: &str,
        keys: &[CounterKey<'_>],
        values: &mut [Counters],
    ) -> Result<(), StoreError> {
        let touched = self.read_with(|connection| {
            let Some((id, touched)) = find(connection, session)? else {
                values.fill(Counters::default());
                return Ok(None);
            };
            for (key, value) in keys.iter().zip(values) {
                *value = counters(connection, id, *key)?;
            }
            Ok(Some(touched))
        })?;
        self.touch(session, touched);
        Ok(())
    }

    fn apply(
        &self,
        session: &str,
        key: CounterKey<'_>,
        actions: &[Action],
        publish: &mut dyn FnMut() -> Result<(), EventError>,
    ) -> Result<CounterChange, StoreError> {
        self.write(|connection| {
            let id = begin(connection, session)?;
            let before = counters(connection, id, key)?;
            let after = before.after_all(actions)?;
            if before != after {
                connection
                    .prepare_cached(
                        "INSERT INTO counter VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                         ON CONFLICT DO UPDATE SET fire_count = excluded.fire_count,
                             breaker_count = excluded.breaker_count",
                    )?
                    .execute(params![
                        id,
                        key.rule,
                        key.scope.is_some(),
                        key.scope.unwrap_or_default(),
                        after.fire_count,
                        after.breaker_count
                    ])?;
            }
            publish()?;
            Ok(CounterChange { before, after })
        })
    }
}

impl ActivityStore for SqliteStore {
    fn recent(&self, session: &str, window: usize) -> Result<Vec<String>, StoreError> {
        let window = i64::try_from(window).unwrap_or(i64::MAX);
        let (steps, touched) = self.read_with(|connection| {
            let Some((id, touched)) = find(connection, session)? else {
                return Ok((Vec::new(), None));
            };
            let mut select = connection.prepare_cached(
                "SELECT tool FROM step WHERE session = ?1 ORDER BY id DESC LIMIT ?2",
            )?;
            let rows = select.query_map(params![id, window], |row| row.get(0))?;
            let mut steps = rows.collect::<rusqlite::Result<Vec<String>>>()?;
            steps.reverse();
            Ok((steps, Some(touched)))
        })?;
        self.touch(session, touched);
        Ok(steps)
    }

    fn admit(&self, session: &str, tool: &str, window: usize) -> Result<(), StoreError> {
        let window = i64::try_from(window).unwrap_or(i64::MAX);
        self.write(|connection| {
            let id = begin(connection, session)?;
            connection
                .prepare_cached("INSERT INTO step (session, tool) VALUES (?1, ?2)")?
                .execute(params![id, tool])?;
            connection
                .prepare_cached(
                    "DELETE FROM step WHERE session = ?1 AND id <= (SELECT id FROM step
                         WHERE session = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
                )?
                .execute(params![id, window])?;
            Ok(())
        })
    }
}
