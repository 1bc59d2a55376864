//! The history in an SQLite database: as many calls as one likes, found by their text.
//!
//! The text index knows which three letters in a row stand in which call, so that a search for a part of a word reads only
//! few calls. Behind the text of a call stand three letters for its tool, status, project and client each ([`mark`]), so that a search
//! among the calls of one of them reads no others. The journal is a write-ahead log: a process that is killed leaves whole calls behind, and several
//! processes may use one database.

use std::cell::RefCell;
use std::path::Path;
use std::time::Duration;

use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value as Cell;
use rusqlite::{
    Connection, ErrorCode, OptionalExtension as _, Row, Transaction, TransactionBehavior, named_params,
    params, params_from_iter,
};
use serde_json::Value;

use crate::entry::{Client, Entry, Received, Status};
use crate::history::Filter;
use crate::statistics::{Alike, Group, Statistics};

/// Why the database gave no answer.
pub type Error = rusqlite::Error;

/// Raised with the tables; a database of another number is emptied.
const SCHEMA: i64 = 2;

/// How long one process waits for another.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often one process waits for others that open the same file.
const MOST_ATTEMPTS: usize = 50;

/// Sequences of three letters of a search that are looked up; more hardly rule out more.
const MOST_TRIGRAMS: usize = 24;

const TABLES: &str = "
    DROP TABLE IF EXISTS calls; DROP TABLE IF EXISTS bodies; DROP TABLE IF EXISTS search;
    CREATE TABLE calls (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, timestamp TEXT NOT NULL, tool TEXT NOT NULL,
        status INTEGER NOT NULL, project TEXT, client TEXT, client_version TEXT, received INTEGER NOT NULL,
        characters INTEGER, tokens INTEGER, duration INTEGER, truncated INTEGER NOT NULL, replay_of TEXT,
        affected TEXT, error TEXT, parameters TEXT NOT NULL);
    CREATE INDEX by_tool ON calls (tool, seq);
    CREATE INDEX by_status ON calls (status, seq);
    CREATE INDEX by_project ON calls (project, seq);
    CREATE INDEX by_client ON calls (client COLLATE NOCASE, seq);
    CREATE INDEX figures_of_tools ON calls (tool, status, duration, tokens);
    CREATE INDEX figures_of_clients ON calls (client, status, duration, tokens);
    CREATE TABLE bodies (seq INTEGER PRIMARY KEY, result TEXT, structured TEXT);
    CREATE VIRTUAL TABLE search USING fts5 (
        text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1');
";

/// Columns of a call in the order in which [`entry_of`] reads them.
const COLUMNS: &str = "calls.id, timestamp, tool, status, project, client, client_version, received, characters, tokens, \
    duration, truncated, replay_of, affected, error, parameters";

/// A connection to the database.
#[derive(Debug)]
pub struct Database {
    connection: Connection,
}

/// A page of a list of entries.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// Only entries older than this one.
    pub before: Option<&'a str>,
    /// The number of entries at most.
    pub limit: usize,
    /// With results, which are long.
    pub with_results: bool,
}

impl Database {
    /// Opens the database in a file, which is made when it is missing. Its directory must be there.
    ///
    /// # Errors
    /// When the file is no database, or cannot be read and written.
    pub fn open(file: &Path) -> Result<Database, Error> {
        Database::on(Connection::open(file)?)
    }

    /// A database in memory.
    ///
    /// # Errors
    /// When memory is short.
    pub fn in_memory() -> Result<Database, Error> {
        Database::on(Connection::open_in_memory()?)
    }

    fn on(mut connection: Connection) -> Result<Database, Error> {
        connection.busy_timeout(PATIENCE)?;
        // One that begins to read and then writes is refused at once when another wrote meanwhile.
        connection.set_transaction_behavior(TransactionBehavior::Immediate);
        write_ahead(&mut connection)?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.pragma_update(None, "secure_delete", "ON")?;
        let schema = |connection: &Connection| {
            connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))
        };
        if schema(&connection)? != SCHEMA {
            let change = connection.transaction()?;
            // Another process may have been faster.
            if schema(&change)? != SCHEMA {
                change.execute_batch(TABLES)?;
                change.pragma_update(None, "user_version", SCHEMA)?;
            }
            change.commit()?;
        }
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
        // A search looks at many texts: the memory for their lower case is kept.
        let lower = RefCell::new(String::new());
        connection.create_scalar_function("holds", -1, flags, move |context| {
            let needle = context.get_raw(0).as_str()?;
            for at in 1..context.len() {
                let text = context.get_raw(at).as_str_or_null()?;
                if text.is_some_and(|text| contains(text, needle, &mut lower.borrow_mut())) {
                    return Ok(true);
                }
            }
            Ok(false)
        })?;
        Ok(Database { connection })
    }

    /// Puts entries in, or in the place of what is there under their names: all or, on an error, none.
    ///
    /// # Errors
    /// Returns the error of the database when it cannot be read or written.
    pub fn put(&mut self, entries: &[&Entry]) -> Result<(), Error> {
        let change = self.connection.transaction()?;
        for entry in entries {
            put(&change, entry)?;
        }
        change.commit()
    }

    /// One entry, as a whole.
    ///
    /// # Errors
    /// Returns the error of the database when it cannot be read or written.
    pub fn get(&self, id: &str) -> Result<Option<Entry>, Error> {
        let query = format!(
            "SELECT {COLUMNS}, result, structured FROM calls LEFT JOIN bodies USING (seq) WHERE id = ?1"
        );
        self.connection.prepare_cached(&query)?.query_row([id], entry_of).optional()
    }

    /// The names of the entries that begin with some letters, newest first, two at most.
    ///
    /// # Errors
    /// Returns the error of the database when it cannot be read or written.
    pub fn beginning_with(&self, start: &str) -> Result<Vec<String>, Error> {
        let query = "SELECT id FROM calls WHERE substr(id, 1, length(?1)) = ?1 ORDER BY seq DESC LIMIT 2";
        self.connection.prepare_cached(query)?.query_map([start], |row| row.get(0))?.collect()
    }

    /// The entries that pass a filter, newest first.
    ///
    /// # Errors
    /// Returns the error of the database when it cannot be read or written.
    pub fn list(&self, filter: Filter<'_>, page: Page<'_>) -> Result<Vec<Entry>, Error> {
        let needle = filter.needle();
        let matching = matching(filter);
        let mut given: Vec<Cell> = Vec::new();
        let mut conditions = Vec::new();
        let mut hold = |condition: &str, value: Cell| {
            given.push(value);
            conditions.push(condition.replace('?', &format!("?{}", given.len())));
        };
        for (field, value) in fields(filter) {
            hold(field.condition(), value.into());
        }
        let newer = match (page.before, &matching) {
            (None, _) => None,
            // The text index begins there by itself.
            (Some(before), Some(_)) => Some(("search.rowid < (SELECT seq FROM calls WHERE id = ?)", before)),
            (Some(before), None) => Some(("calls.seq < (SELECT seq FROM calls WHERE id = ?)", before)),
        };
        if let Some((condition, before)) = newer {
            hold(condition, before.to_owned().into());
        }
        let mut from = "calls LEFT JOIN bodies USING (seq)";
        let mut order = "calls.seq";
        match (matching, needle) {
            (Some(matching), Some(needle)) => {
                from = "search CROSS JOIN calls ON calls.seq = search.rowid LEFT JOIN bodies ON bodies.seq = calls.seq";
                order = "search.rowid";
                hold("search MATCH ?", matching.into());
                hold("holds(?, tool, parameters, error, result, structured)", needle.into());
            }
            // Short texts are found in names, parameters and errors only.
            (None, Some(needle)) => hold("holds(?, tool, parameters, error)", needle.into()),
            _ => {}
        }
        let conditions =
            if conditions.is_empty() { String::new() } else { format!("WHERE {}", conditions.join(" AND ")) };
        let results = if page.with_results { "result, structured" } else { "NULL, NULL" };
        let query = format!(
            "SELECT {COLUMNS}, {results} FROM {from} {conditions} ORDER BY {order} DESC LIMIT {}",
            page.limit
        );
        self.connection.prepare_cached(&query)?.query_map(params_from_iter(given), entry_of)?.collect()
    }

    /// How many entries there are.
    ///
    /// # Errors
    /// Returns the error of the database when it cannot be read or written.
    pub fn count(&self) -> Result<usize, Error> {
        self.connection.query_row("SELECT count(*) FROM calls", [], |row| row.get(0))
    }

    /// The projects that calls worked in, by name.
    ///
    /// # Errors
    /// Returns the error of the database when it cannot be read or written.
    pub fn projects(&self) -> Result<Vec<String>, Error> {
        let query = "SELECT DISTINCT project FROM calls WHERE project IS NOT NULL ORDER BY project";
        self.connection.prepare_cached(query)?.query_map([], |row| row.get(0))?.collect()
    }

    /// Figures of every tool or client, the most used first.
    ///
    /// # Errors
    /// Returns the error of the database when it cannot be read or written.
    pub fn statistics(&self, project: Option<&str>, group: Group) -> Result<Vec<Statistics>, Error> {
        let query = figures(group, project.is_some());
        let mut rows = self.connection.prepare_cached(&query)?;
        let alike = rows.query_map(params_from_iter(project), |row| {
            Ok(Alike {
                name: row.get::<_, Option<String>>(0)?.unwrap_or_default(),
                status: status(row.get(1)?),
                duration_ms: row.get(2)?,
                calls: row.get(3)?,
                tokens: row.get::<_, Option<u64>>(4)?.unwrap_or_default(),
            })
        })?;
        Ok(Statistics::of(alike.collect::<Result<Vec<_>, _>>()?))
    }

    /// Drops one entry.
    ///
    /// # Errors
    /// Returns the error of the database when it cannot be read or written.
    pub fn remove(&mut self, id: &str) -> Result<(), Error> {
        self.drop_where("id = ?1", id)
    }

    /// Drops the entries of one project, or all.
    ///
    /// # Errors
    /// Returns the error of the database when it cannot be read or written.
    pub fn clear(&mut self, project: Option<&str>) -> Result<(), Error> {
        match project {
            Some(project) => self.drop_where("project = ?1", project),
            None => {
                let change = self.connection.transaction()?;
                change.execute_batch("DELETE FROM calls; DELETE FROM bodies; DELETE FROM search;")?;
                change.commit()?;
                // Gives the space back, unless another process is reading.
                self.connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);").or(Ok(()))
            }
        }
    }

    /// Drops the oldest entries until `keep` are left.
    ///
    /// # Errors
    /// Returns the error of the database when it cannot be read or written.
    pub fn trim(&mut self, keep: usize) -> Result<(), Error> {
        let oldest = "SELECT seq FROM calls ORDER BY seq DESC LIMIT 1 OFFSET ?1";
        let last: Option<i64> =
            self.connection.prepare_cached(oldest)?.query_row([keep], |row| row.get(0)).optional()?;
        last.map_or(Ok(()), |last| self.drop_where("seq <= ?1", last))
    }

    /// Says of entries before a moment that still wait for their outcome that it never came.
    ///
    /// # Errors
    /// Returns the error of the database when it cannot be read or written.
    pub fn end_abandoned(&mut self, before: &str, error: &str) -> Result<usize, Error> {
        let query = format!(
            "SELECT {COLUMNS}, NULL, NULL FROM calls WHERE status = {} AND timestamp < ?1",
            Status::Pending as i64
        );
        let change = self.connection.transaction()?;
        let waiting: Vec<Entry> =
            change.prepare(&query)?.query_map([before], entry_of)?.collect::<Result<_, _>>()?;
        for mut entry in waiting.iter().cloned() {
            entry.status = Status::Error;
            entry.error = Some(error.to_owned());
            put(&change, &entry)?;
        }
        change.commit()?;
        Ok(waiting.len())
    }

    /// Whether every page of the database and every entry of its indexes is sound.
    ///
    /// # Errors
    /// Returns the error of the database when it cannot be read or written.
    pub fn is_sound(&self) -> Result<bool, Error> {
        let told: String = self.connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        let lone = "SELECT count(*) FROM calls WHERE status <> 0 AND seq NOT IN (SELECT rowid FROM search)";
        let without_text: i64 = self.connection.query_row(lone, [], |row| row.get(0))?;
        Ok(told == "ok" && without_text == 0)
    }

    fn drop_where(&mut self, condition: &str, value: impl rusqlite::ToSql) -> Result<(), Error> {
        let change = self.connection.transaction()?;
        let rows = format!("SELECT seq FROM calls WHERE {condition}");
        change.execute(&format!("DELETE FROM search WHERE rowid IN ({rows})"), [&value])?;
        change.execute(&format!("DELETE FROM bodies WHERE seq IN ({rows})"), [&value])?;
        change.execute(&format!("DELETE FROM calls WHERE {condition}"), [&value])?;
        change.commit()
    }
}

/// The query for the figures of every tool or client. An index holds the figures of all projects as a whole.
fn figures(group: Group, is_of_project: bool) -> String {
    let name = match group {
        Group::Tool => "tool",
        Group::Client => "client",
    };
    let of = if is_of_project { "WHERE project = ?1" } else { "" };
    format!(
        "SELECT {name}, status, duration, count(*), sum(tokens) FROM calls {of} GROUP BY {name}, status, duration"
    )
}

/// Has the database keep a write-ahead log. SQLite refuses that at once while others use the file, so a transaction waits for them.
fn write_ahead(connection: &mut Connection) -> Result<(), Error> {
    let mut attempts = 0;
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && attempts < MOST_ATTEMPTS =>
            {
                attempts += 1;
                connection.transaction()?.commit()?;
            }
            done => return done,
        }
    }
}

fn put(change: &Transaction<'_>, entry: &Entry) -> Result<(), Error> {
    let parameters = entry.parameters.to_string();
    let affected = entry.affected_files.as_ref().map(|files| Value::from(files.clone()).to_string());
    let client = entry.client.as_ref();
    let upsert = "INSERT INTO calls (id, timestamp, tool, status, project, client, client_version, received, characters,
            tokens, duration, truncated, replay_of, affected, error, parameters)
        VALUES (:id, :timestamp, :tool, :status, :project, :client, :client_version, :received, :characters,
            :tokens, :duration, :truncated, :replay_of, :affected, :error, :parameters)
        ON CONFLICT (id) DO UPDATE SET status = excluded.status, project = excluded.project,
            received = excluded.received, characters = excluded.characters, tokens = excluded.tokens,
            duration = excluded.duration, truncated = excluded.truncated, affected = excluded.affected,
            error = excluded.error
        RETURNING seq";
    let seq: i64 = change.prepare_cached(upsert)?.query_row(
        named_params! {
            ":id": entry.id,
            ":timestamp": entry.timestamp,
            ":tool": entry.tool_name,
            ":status": entry.status as i64,
            ":project": entry.project_path,
            ":client": client.map(|client| &client.name),
            ":client_version": client.map(|client| &client.version),
            ":received": entry.model_receives as i64,
            ":characters": entry.characters,
            ":tokens": entry.tokens,
            ":duration": entry.duration_ms,
            ":truncated": entry.result_truncated,
            ":replay_of": entry.replay_of,
            ":affected": affected,
            ":error": entry.error,
            ":parameters": parameters,
        },
        |row| row.get(0),
    )?;
    if entry.status == Status::Pending {
        return Ok(());
    }
    let body = "INSERT OR REPLACE INTO bodies (seq, result, structured) VALUES (?1, ?2, ?3)";
    change.prepare_cached(body)?.execute(params![seq, entry.result, entry.structured])?;
    let texts = [Some(&entry.tool_name), Some(&parameters), entry.error.as_ref(), entry.result.as_ref()];
    let texts =
        texts.into_iter().chain([entry.structured.as_ref()]).flatten().map(|text| text.to_lowercase());
    let own = Filter {
        project: entry.project_path.as_deref(),
        tool: Some(&entry.tool_name),
        status: Some(entry.status),
        client: client.map(|client| client.name.as_str()),
        text: None,
    };
    let marks = fields(own).map(|(field, value)| mark(field, &value));
    let all: Vec<String> = texts.chain(marks).collect();
    let index = "INSERT OR REPLACE INTO search (rowid, text) VALUES (?1, ?2)";
    change.prepare_cached(index)?.execute(params![seq, all.join("\n")])?;
    Ok(())
}

fn entry_of(row: &Row<'_>) -> Result<Entry, Error> {
    let json = |text: Option<String>| text.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let affected = json(row.get(13)?).and_then(|files| match files {
        Value::Array(files) => Some(files.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        _ => None,
    });
    let client: Option<String> = row.get(5)?;
    let version: Option<String> = row.get(6)?;
    let received: i64 = row.get(7)?;
    Ok(Entry {
        id: row.get(0)?,
        timestamp: row.get(1)?,
        tool_name: row.get(2)?,
        status: status(row.get(3)?),
        project_path: row.get(4)?,
        client: client.map(|name| Client { name, version: version.unwrap_or_default() }),
        model_receives: Received::ALL.into_iter().find(|r| *r as i64 == received).unwrap_or_default(),
        characters: row.get(8)?,
        tokens: row.get(9)?,
        duration_ms: row.get(10)?,
        result_truncated: row.get(11)?,
        replay_of: row.get(12)?,
        affected_files: affected,
        error: row.get(14)?,
        parameters: json(row.get(15)?).unwrap_or_default(),
        result: row.get(16)?,
        structured: row.get(17)?,
    })
}

fn status(number: i64) -> Status {
    Status::ALL.into_iter().find(|status| *status as i64 == number).unwrap_or(Status::Error)
}

/// A column that calls are filtered by.
#[derive(Clone, Copy)]
enum Field {
    Project,
    Tool,
    Status,
    Client,
}

impl Field {
    fn condition(self) -> &'static str {
        match self {
            Self::Project => "project = ?",
            Self::Tool => "tool = ?",
            Self::Status => "status = ?",
            Self::Client => "client = ? COLLATE NOCASE",
        }
    }
}

/// The columns that a filter asks for, with their values.
fn fields(filter: Filter<'_>) -> impl Iterator<Item = (Field, String)> {
    let text = |field, value: Option<&str>| value.map(|value| (field, value.to_owned()));
    [
        text(Field::Project, filter.project),
        text(Field::Tool, filter.tool),
        filter.status.map(|status| (Field::Status, (status as i64).to_string())),
        text(Field::Client, filter.client),
    ]
    .into_iter()
    .flatten()
}

/// Three letters of private use that stand for a value of a column in the text index. Two values may have the same ones.
fn mark(field: Field, value: &str) -> String {
    let fnv = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let hash = value.to_ascii_lowercase().bytes().fold(0x811c_9dc5, fnv);
    let letter = |n: u32| char::from_u32(0xF_0000 + (n & 0x7FFF));
    [char::from_u32(0xE000 + field as u32), letter(hash), letter(hash >> 15)].into_iter().flatten().collect()
}

/// Whether a text holds another, which is in lower case.
fn contains(text: &str, needle: &str, lower: &mut String) -> bool {
    if !text.is_ascii() {
        return text.to_lowercase().contains(needle);
    }
    lower.clear();
    lower.push_str(text);
    lower.make_ascii_lowercase();
    lower.contains(needle)
}

/// A query of the text index for the calls that can pass a filter; `None` for a filter whose text the index does not know.
fn matching(filter: Filter<'_>) -> Option<String> {
    let text = trigrams(&filter.needle()?)?;
    let marks = fields(filter).map(|(field, value)| format!("\"{}\"", mark(field, &value)));
    Some(marks.chain([text]).collect::<Vec<_>>().join(" AND "))
}

/// A query of the text index for every three letters in a row of a text; `None` for a text that has no three.
fn trigrams(text: &str) -> Option<String> {
    let letters: Vec<char> = text.chars().collect();
    let quoted = |three: &[char]| format!("\"{}\"", three.iter().collect::<String>().replace('"', "\"\""));
    let all: Vec<String> = letters.windows(3).take(MOST_TRIGRAMS).map(quoted).collect();
    (!all.is_empty()).then(|| all.join(" AND "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::entry::{NewCall, Outcome};

    const ALL: Page<'_> = Page { before: None, limit: 1_000, with_results: true };

    fn entry(n: u64, tool: &str, project: &str, client: &str, query: &str) -> Entry {
        let call = NewCall {
            tool_name: tool.into(),
            parameters: json!({"query": query}),
            project_path: Some(project.into()),
            client: Some(Client { name: client.into(), version: "1".into() }),
            replay_of: (n == 2).then(|| "before".into()),
        };
        Entry::new(call, n * 1_000, n.into())
    }

    fn ended(mut entry: Entry, result: Result<&str, &str>) -> Entry {
        entry.end(Outcome {
            result: result.map(str::to_owned).map_err(str::to_owned),
            structured: result.is_ok().then(|| "{\"Only\":\"here\"}".into()),
            received: Received::Structured,
            duration: Duration::from_millis(entry.tool_name.len() as u64),
            affected_files: result.is_ok().then(|| vec!["a b.rs".into()]),
            project_path: None,
        });
        entry
    }

    fn filled() -> (Database, Vec<Entry>) {
        let mut database = Database::in_memory().unwrap();
        let entries = vec![
            ended(entry(1, "ide_find", "/p", "Codex", "UserService"), Ok("found äÖ_100% \"it\"")),
            ended(entry(2, "ide_find", "/p", "opencode", "Other"), Err("index Not ready")),
            entry(3, "ide_read", "/q", "codex", "x%"),
        ];
        database.put(&entries.iter().collect::<Vec<_>>()).unwrap();
        (database, entries)
    }

    #[test]
    fn entries_come_back_whole_and_newest_first() {
        let (mut database, mut entries) = filled();
        entries.reverse();
        assert_eq!(database.list(Filter::default(), ALL).unwrap(), entries);
        assert_eq!(database.get(&entries[1].id).unwrap().as_ref(), Some(&entries[1]));
        assert_eq!(database.get("unknown").unwrap(), None);
        let bare = database.list(Filter::default(), Page { with_results: false, ..ALL }).unwrap();
        assert!(bare.iter().all(|entry| entry.result.is_none() && entry.structured.is_none()));
        let page = Page { before: Some(&entries[0].id), limit: 1, with_results: true };
        assert_eq!(database.list(Filter::default(), page).unwrap(), entries[1..2]);
        entries[0] = ended(entries[0].clone(), Ok("later"));
        database.put(&[&entries[0]]).unwrap();
        assert_eq!(database.list(Filter::default(), ALL).unwrap(), entries);
        assert_eq!(database.beginning_with(&entries[0].id).unwrap(), [entries[0].id.clone()]);
        assert_eq!(database.beginning_with("0000").unwrap().len(), 2);
    }

    /// The database and the list in memory find the same entries.
    #[test]
    fn filters_hold_together() {
        let (database, entries) = filled();
        let mut memory = crate::history::History::default();
        entries.iter().for_each(|entry| drop(memory.add(entry)));
        let none = Filter::default();
        let text = |text| Filter { text: Some(text), ..none };
        for (filter, found) in [
            (Filter { tool: Some("ide_find"), ..none }, &[2, 1][..]),
            (Filter { tool: Some("ide_fin"), ..none }, &[]),
            (Filter { status: Some(Status::Pending), ..none }, &[3]),
            (Filter { client: Some("CODEX"), ..none }, &[3, 1]),
            (text(" userservice "), &[1]),
            (text("rServ"), &[1]),
            (text("NOT READY"), &[2]),
            (text("ÄÖ_"), &[1]),
            (text("100% \"it\""), &[1]),
            (text("_100_"), &[]),
            (text("\"only\""), &[1]),
            (text("ide_find"), &[2, 1]),
            (text("x%"), &[]),
            (text("nothing of the kind"), &[]),
            (Filter { status: Some(Status::Error), ..text("found") }, &[]),
            (Filter { status: Some(Status::Error), ..text("other") }, &[2]),
            (Filter { client: Some("CODEX"), ..text("userservice") }, &[1]),
            (Filter { client: Some("opencode"), tool: Some("ide_find"), ..text("ide_find") }, &[2]),
            (Filter { project: Some("/p"), ..text("ide_find") }, &[2, 1]),
            (Filter { project: Some("/"), ..text("ide_find") }, &[]),
            (Filter { project: Some("/q"), ..none }, &[3]),
        ] {
            let listed = database.list(filter, ALL).unwrap();
            let ids: Vec<&str> = listed.iter().map(|entry| entry.id.as_str()).collect();
            let wanted: Vec<&str> = found.iter().map(|n: &usize| entries[n - 1].id.as_str()).collect();
            if filter.text == Some("x%") {
                // Two letters: found among parameters, also of calls that run.
                assert_eq!(ids, [entries[2].id.as_str()]);
                continue;
            }
            assert_eq!(ids, wanted, "{filter:?}");
            let held: Vec<&str> = memory.list(filter).iter().map(|entry| entry.id.as_str()).collect();
            assert_eq!(held, wanted, "{filter:?} in memory");
        }
    }

    #[test]
    fn what_is_dropped_is_not_found() {
        let (mut database, entries) = filled();
        database.clear(Some("/q")).unwrap();
        assert_eq!(database.count().unwrap(), 2);
        database.trim(1).unwrap();
        let found = |database: &Database, text| {
            database.list(Filter { text: Some(text), ..Filter::default() }, ALL).unwrap().len()
        };
        assert_eq!((found(&database, "userservice"), found(&database, "not ready")), (0, 1));
        database.remove(&entries[1].id).unwrap();
        assert_eq!((database.count().unwrap(), found(&database, "not ready")), (0, 0));
        database.put(&[&entries[0]]).unwrap();
        database.clear(None).unwrap();
        assert_eq!((database.count().unwrap(), found(&database, "userservice")), (0, 0));
        assert!(database.is_sound().unwrap());
    }

    /// However many calls hold a text, a search among the calls of one tool, status, project or client looks at no others.
    #[test]
    fn a_search_looks_at_the_calls_of_its_filter_alone() {
        const MANY: u64 = 300;
        let mut database = Database::in_memory().unwrap();
        let call = |n: u64| {
            let is_rare = n.is_multiple_of(100);
            let tool = if is_rare { "ide_rare" } else { "ide_find" };
            let project = if is_rare { "/rare" } else { "/p" };
            let client = if is_rare { "Rare" } else { "codex" };
            let result = if is_rare { Err("a Word of all") } else { Ok("a word of all") };
            ended(entry(n, tool, project, client, "x"), result)
        };
        let entries: Vec<Entry> = (1..=MANY).map(call).collect();
        database.put(&entries.iter().collect::<Vec<_>>()).unwrap();
        let text = Filter { text: Some("word of"), ..Filter::default() };
        for (filter, count) in [
            (text, MANY),
            (Filter { tool: Some("ide_rare"), ..text }, MANY / 100),
            (Filter { status: Some(Status::Error), ..text }, MANY / 100),
            (Filter { project: Some("/rare"), ..text }, MANY / 100),
            (Filter { client: Some("rare"), ..text }, MANY / 100),
            (Filter { tool: Some("ide_find"), client: Some("rare"), ..text }, 0),
            (Filter { tool: Some("nobody's"), ..text }, 0),
        ] {
            let looked_at: u64 = database
                .connection
                .query_row("SELECT count(*) FROM search WHERE search MATCH ?1", [matching(filter)], |row| {
                    row.get(0)
                })
                .unwrap();
            assert_eq!(looked_at, count, "{filter:?}");
            assert_eq!(database.list(filter, ALL).unwrap().len() as u64, count, "{filter:?}");
        }
    }

    #[test]
    fn calls_of_a_process_that_ended_do_not_run_for_ever() {
        let (mut database, entries) = filled();
        assert_eq!(database.end_abandoned("1970-01-01T00:00:02.500Z", "gone").unwrap(), 0);
        assert_eq!(database.end_abandoned("1970-01-01T00:00:03.500Z", "gone").unwrap(), 1);
        let entry = database.get(&entries[2].id).unwrap().unwrap();
        assert_eq!((entry.status, entry.error.as_deref()), (Status::Error, Some("gone")));
        let gone = Filter { text: Some("gone"), status: Some(Status::Error), ..Filter::default() };
        assert_eq!(database.list(gone, ALL).unwrap(), [entry]);
        assert!(database.is_sound().unwrap());
    }

    /// Processes that begin and end at once, on a file that is not there yet, each store what they have.
    #[test]
    fn many_open_one_file_at_once() {
        const AT_ONCE: u64 = 4;
        const ROUNDS: u64 = 25;
        let folder = tempfile::tempdir().unwrap();
        for round in 0..ROUNDS {
            let file = folder.path().join(format!("{}.sqlite", round / 2));
            let begin = std::sync::Barrier::new(AT_ONCE as usize);
            std::thread::scope(|scope| {
                for n in 0..AT_ONCE {
                    let (file, begin) = (&file, &begin);
                    scope.spawn(move || {
                        begin.wait();
                        let mut database = Database::open(file).unwrap();
                        let entry = entry(round * AT_ONCE + n, "ide_find", "/p", "codex", "x");
                        database.put(&[&ended(entry, Ok("found"))]).unwrap();
                        database.trim(3).unwrap();
                        assert!(database.count().unwrap() > 0);
                    });
                }
            });
            assert!(Database::open(&file).unwrap().is_sound().unwrap());
        }
    }

    #[test]
    fn figures_are_told_by_tool_and_by_client() {
        let (database, _) = filled();
        let by_tool = database.statistics(None, Group::Tool).unwrap();
        assert_eq!((by_tool[0].name.as_str(), by_tool[0].calls, by_tool[0].errors), ("ide_find", 2, 1));
        assert_eq!(by_tool[0].p50_ms, Some(8));
        for group in [Group::Tool, Group::Client] {
            let plan = format!("EXPLAIN QUERY PLAN {}", figures(group, false));
            let steps: Vec<String> = database
                .connection
                .prepare(&plan)
                .unwrap()
                .query_map([], |row| row.get("detail"))
                .unwrap()
                .collect::<Result<_, _>>()
                .unwrap();
            assert!(matches!(&steps[..], [scan] if scan.contains("COVERING INDEX figures_of_")), "{steps:?}");
        }
        assert_eq!(database.projects().unwrap(), ["/p", "/q"]);
        let by_client = database.statistics(Some("/q"), Group::Client).unwrap();
        assert_eq!((by_client.len(), by_client[0].name.as_str(), by_client[0].p95_ms), (1, "codex", None));
    }
}
