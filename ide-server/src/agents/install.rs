//! Installing into an agent and taking it back: what changes is planned and shown, written whole, and remembered, so that
//! `uninstall` gives every file its bytes back.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::edit::{give_back, set, take_out};
use super::{Agent, NAME, ServerEndpoint, UserDirectories, shown};

/// Larger files are no settings.
const MAX_FILE: u64 = 8 << 20;

/// Links in a row that are followed.
const MOST_LINKS: usize = 40;

/// Lines around what is ours in a file of rules.
const BEGIN: &str = "<!-- ide-index: begin -->";
const END: &str = "<!-- ide-index: end -->";

/// The instructions for an agent, in a file of rules.
const RULES: &str = include_str!("rules.md");

/// The skill: when to use which tool.
pub(crate) const SKILL: &str = include_str!("skill.md");

/// The parts to install.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// The project whose file of rules gets a section.
    pub rules: Option<&'a Path>,
    /// The skill.
    pub skill: bool,
}

/// The new text of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file.
    pub file: PathBuf,
    /// The present text; `None` when the file is missing.
    pub before: Option<String>,
    /// The new text; `None` when the file goes.
    pub after: Option<String>,
}

/// The changes that an installation or its removal makes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    agent: &'static str,
    /// The files, those too that stay as they are.
    pub changes: Vec<Change>,
    /// The memory to keep of each file; empty after a removal.
    memory: Vec<Memory>,
    /// Directories that are removed at the end, when they are empty.
    folders: Vec<PathBuf>,
}

/// The memory of a file, kept to restore its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Memory {
    file: PathBuf,
    /// Its text before the first installation.
    before: Option<String>,
    /// Its text after the last one: while that is what it holds, nobody else has changed it.
    after: String,
    /// Directories that were made for it, the outermost first.
    folders: Vec<PathBuf>,
}

/// How something of ours gets into a text and out of it.
enum Part<'a> {
    Entry(&'a Agent, &'a ServerEndpoint<'a>),
    Rules,
    Skill,
}

impl Part<'_> {
    fn put_in(&self, text: &str) -> Result<String, String> {
        match self {
            Part::Entry(agent, reach) => {
                let (table, entry) = (agent.table, (agent.entry)(reach));
                set(agent.syntax, text, table, reach.name, &entry)
            }
            Part::Rules => {
                let clean = without_section(text);
                let gap = match clean {
                    _ if clean.is_empty() || clean.ends_with("\n\n") => "",
                    _ if clean.ends_with('\n') => "\n",
                    _ => "\n\n",
                };
                Ok(format!("{clean}{gap}{BEGIN}\n{RULES}{END}\n"))
            }
            Part::Skill => Ok(SKILL.to_owned()),
        }
    }
}

/// A text of rules without the section that is ours.
fn without_section(text: &str) -> String {
    let Some((before, rest)) = text.split_once(BEGIN) else { return text.to_owned() };
    let Some((_, after)) = rest.split_once(END) else { return text.to_owned() };
    let after = after.strip_prefix("\r\n").or(after.strip_prefix('\n')).unwrap_or(after);
    format!("{before}{after}")
}

/// Plans an installation.
///
/// # Errors
/// When a file cannot be read or is not understood: nothing is guessed.
pub fn plan(
    agent: &'static Agent,
    reach: &ServerEndpoint<'_>,
    wanted: Wanted<'_>,
    directories: &UserDirectories,
    state: &Path,
) -> Result<Plan, String> {
    let file = agent.file(directories).ok_or_else(|| agent.by_hand.to_owned())?;
    let mut parts = vec![(file, Part::Entry(agent, reach))];
    if let Some(project) = wanted.rules {
        parts.push((project.join(agent.rules), Part::Rules));
    }
    if wanted.skill {
        let skills =
            agent.skills.ok_or_else(|| format!("no place for skills is known of {}", agent.title))?;
        parts.push((skills(directories).join(NAME).join("SKILL.md"), Part::Skill));
    }
    let mut memory = remembered(agent, state)?;
    let mut changes = Vec::new();
    for (file, part) in parts {
        let file = real(&file);
        let before = read(&file)?;
        let told = |error: String| format!("{}: {error}", shown(&file, directories));
        let after = part.put_in(before.as_deref().unwrap_or_default()).map_err(told)?;
        let known = memory.iter().position(|memory| memory.file == file);
        if before.as_deref() != Some(&after) {
            let (origin, folders) = match known.map(|at| memory.remove(at)) {
                Some(old) if before.as_deref() == Some(&old.after) => (old.before, old.folders),
                Some(_) => (stripped(&part, before.as_deref(), &file)?, missing_folders(&file)),
                // an entry of that name that somebody else made comes back too
                None => (before.clone(), missing_folders(&file)),
            };
            memory.push(Memory { file: file.clone(), before: origin, after: after.clone(), folders });
        }
        changes.push(Change { file, before, after: Some(after) });
    }
    Ok(Plan { agent: agent.id, changes, memory, folders: Vec::new() })
}

/// A text as it was without what is ours.
fn stripped(part: &Part<'_>, text: Option<&str>, file: &Path) -> Result<Option<String>, String> {
    let Some(text) = text else { return Ok(None) };
    match part {
        Part::Entry(agent, reach) => take_out(agent.syntax, text, agent.table, reach.name)
            .map(Some)
            .map_err(|error| format!("{}: {error}", file.display())),
        Part::Rules => Ok(Some(without_section(text))),
        Part::Skill => Ok(Some(text.to_owned())),
    }
}

/// Plans the removal of an installation. `name` is that of the server.
///
/// # Errors
/// When a file cannot be read or is not understood.
pub fn uninstall(
    agent: &'static Agent,
    name: &str,
    directories: &UserDirectories,
    state: &Path,
) -> Result<Plan, String> {
    let memory = remembered(agent, state)?;
    let mut plan = Plan { agent: agent.id, ..Plan::default() };
    for Memory { file, before, after, folders } in &memory {
        let Some(text) = read(file)? else { continue };
        let is_ours = text == *after;
        let restored = if is_ours {
            before.clone()
        } else {
            Some(taken_out(agent, name, file, &text, before.as_deref())?)
        };
        plan.changes.push(Change { file: file.clone(), before: Some(text), after: restored });
        plan.folders.extend(folders.iter().cloned());
    }
    // An installation made by hand is removed too.
    if let Some(file) = agent.file(directories).map(|file| real(&file))
        && !memory.iter().any(|memory| memory.file == file)
        && let Some(text) = read(&file)?
    {
        let told = |error| format!("{}: {error}", shown(&file, directories));
        let after = take_out(agent.syntax, &text, agent.table, name).map_err(told)?;
        plan.changes.push(Change { file, before: Some(text), after: Some(after) });
    }
    Ok(plan)
}

/// The text of a file that somebody changed after the installation, without what is ours.
fn taken_out(
    agent: &Agent,
    name: &str,
    file: &Path,
    text: &str,
    before: Option<&str>,
) -> Result<String, String> {
    if file.file_name().is_some_and(|name| name == "SKILL.md") {
        return Ok(text.to_owned());
    }
    if text.contains(BEGIN) || file.extension().is_some_and(|extension| extension == "md") {
        // The empty line before the section came with it.
        let clean = without_section(text);
        let gap = before
            .filter(|before| text.starts_with(*before))
            .map_or(0, |before| usize::from(clean.starts_with(before) && clean.len() == before.len() + 1));
        return Ok(clean[..clean.len() - gap].to_owned());
    }
    give_back(agent.syntax, text, before.unwrap_or_default(), agent.table, name)
        .map_err(|error| format!("{}: {error}", file.display()))
}

impl Change {
    /// Whether the file stays as it is.
    pub fn is_nothing(&self) -> bool {
        self.before == self.after
    }
}

impl Plan {
    /// Whether every file stays as it is.
    pub fn is_nothing(&self) -> bool {
        self.changes.iter().all(Change::is_nothing)
    }

    /// The changes as a unified diff.
    pub fn diff(&self, directories: &UserDirectories) -> String {
        let mut text = String::new();
        for change in self.changes.iter().filter(|change| !change.is_nothing()) {
            let name = shown(&change.file, directories);
            let of =
                |text: &Option<String>| if text.is_some() { name.clone() } else { "/dev/null".to_owned() };
            let [old, new] = [&change.before, &change.after].map(|text| text.as_deref().unwrap_or_default());
            text += &ide_edit::unified(old, new, 2, [&of(&change.before), &of(&change.after)]);
        }
        text
    }

    /// Writes every file, or none when one has changed since it was planned. `state` is where it is remembered.
    ///
    /// # Errors
    /// When a file has changed meanwhile or cannot be written.
    pub fn apply(&self, state: &Path) -> Result<(), String> {
        for change in &self.changes {
            if read(&change.file)? != change.before {
                return Err(format!("{} has changed meanwhile; try again", change.file.display()));
            }
            // a new file could take its place, but a missing right to write is meant
            let about = std::fs::metadata(&change.file).ok().filter(|_| !change.is_nothing());
            if about.is_some_and(|about| about.permissions().readonly()) {
                return Err(format!("{} is read-only; nothing was written", change.file.display()));
            }
        }
        // The memory is written first: a file that was not written is then seen to hold something else.
        if !self.memory.is_empty() {
            self.remember(state)?;
        }
        for change in self.changes.iter().filter(|change| !change.is_nothing()) {
            let told = |error: std::io::Error| format!("{}: {error}", change.file.display());
            match &change.after {
                Some(text) => write(&change.file, text).map_err(told)?,
                None => std::fs::remove_file(&change.file).map_err(told)?,
            }
        }
        // The innermost first; those that hold something else stay.
        self.folders.iter().rev().for_each(|folder| std::fs::remove_dir(folder).unwrap_or_default());
        if self.memory.is_empty() {
            std::fs::remove_file(memory_file(self.agent, state)).unwrap_or_default();
            std::fs::remove_dir(state.join(FOLDER)).unwrap_or_default();
        }
        Ok(())
    }

    fn remember(&self, state: &Path) -> Result<(), String> {
        let file = memory_file(self.agent, state);
        let text = serde_json::to_string_pretty(&self.memory).map_err(|error| error.to_string())?;
        write(&file, &text).map_err(|error| format!("{}: {error}", file.display()))
    }
}

/// The directory of remembered installations, in the directory for state.
const FOLDER: &str = "agents";

fn memory_file(agent: &str, state: &Path) -> PathBuf {
    state.join(FOLDER).join(format!("{agent}.json"))
}

fn remembered(agent: &Agent, state: &Path) -> Result<Vec<Memory>, String> {
    let file = memory_file(agent.id, state);
    let Some(text) = read(&file)? else { return Ok(Vec::new()) };
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))
}

/// The file behind links, so that a link stays one, also where the file is still to be made.
fn real(file: &Path) -> PathBuf {
    let mut file = file.to_owned();
    for _ in 0..MOST_LINKS {
        if let Ok(real) = std::fs::canonicalize(&file) {
            return real;
        }
        let Ok(target) = std::fs::read_link(&file) else { break };
        file = file.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
    }
    file
}

/// The text of a file; `None` when it is missing.
fn read(file: &Path) -> Result<Option<String>, String> {
    let told = |error: std::io::Error| format!("{}: {error}", file.display());
    match std::fs::metadata(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(told(error)),
        Ok(meta) if !meta.is_file() || meta.len() > MAX_FILE => {
            return Err(format!("{} is not a settings file", file.display()));
        }
        Ok(_) => {}
    }
    std::fs::read_to_string(file).map(Some).map_err(told)
}

/// Directories that are missing for a file, the outermost first.
fn missing_folders(file: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> =
        file.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
    missing.reverse();
    missing
}

/// Writes a file as a whole, with the rights that it has; a new one is for its owner.
pub(crate) fn write(file: &Path, text: &str) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(text.as_bytes())?;
    if let Ok(meta) = std::fs::metadata(file) {
        new.as_file().set_permissions(meta.permissions())?;
    }
    new.as_file().sync_all()?;
    new.persist(file)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::{AGENTS, Syntax};
    use super::*;

    fn reach(stdio: bool) -> ServerEndpoint<'static> {
        ServerEndpoint {
            name: NAME,
            url: "http://127.0.0.1:29190/mcp",
            binary: "/bin/ide-index-mcp",
            project: None,
            stdio,
        }
    }

    fn directories(root: &Path) -> UserDirectories {
        UserDirectories::new(|name| (name == "HOME").then(|| root.join("home").into())).unwrap()
    }

    /// Every file and directory below a root, with its text.
    fn tree(root: &Path) -> BTreeMap<PathBuf, Option<String>> {
        let mut found = BTreeMap::new();
        let mut open = vec![root.to_owned()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let text = if path.is_dir() { None } else { Some(std::fs::read_to_string(&path).unwrap()) };
                if path.is_dir() {
                    open.push(path.clone());
                }
                found.insert(path, text);
            }
        }
        found
    }

    /// Examples of a settings file before an installation.
    fn samples(agent: &Agent) -> Vec<Option<String>> {
        let table = agent.table;
        match agent.syntax {
            Syntax::Json => vec![
                None,
                Some(String::new()),
                Some("{}".to_owned()),
                Some(format!(
                    "{{\n  // mine\n  \"{table}\": {{\n    \"other\": {{\"url\": \"x\"}}, // kept\n  }},\n  \"z\": [1,2]\n}}\n"
                )),
                Some(format!("{{\r\n\t\"a\": 1,\r\n\t\"{table}\": {{}}\r\n}}")),
                Some("{\"a\":{\"b\":\"\u{fc}\"},  \"c\":null}".to_owned()),
            ],
            Syntax::Toml => vec![
                None,
                Some(String::new()),
                Some(format!(
                    "# mine\nmodel = \"m\" # which\n\n[{table}.other]\nurl = \"o\"\n\n[z]\na = 1\n"
                )),
                Some("a = 'x'\r\n".to_owned()),
            ],
        }
    }

    #[test]
    fn install_again_and_uninstall_give_every_byte_back() {
        for agent in AGENTS.iter().filter(|agent| agent.by_hand.is_empty()) {
            for sample in samples(agent) {
                let root = tempfile::tempdir().unwrap();
                let (directories, project) = (directories(root.path()), root.path().join("project"));
                let state = root.path().join("state");
                for folder in [&directories.home, &project, &state] {
                    std::fs::create_dir_all(folder).unwrap();
                }
                let file = agent.file(&directories).unwrap();
                if let Some(text) = &sample {
                    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                    std::fs::write(&file, text).unwrap();
                    std::fs::write(project.join(agent.rules), "# Mine").unwrap();
                }
                let before = tree(root.path());
                let wanted = Wanted { rules: Some(&project), skill: agent.skills.is_some() };
                let install = |stdio| {
                    let plan = plan(agent, &reach(stdio), wanted, &directories, &state).unwrap();
                    plan.apply(&state).unwrap();
                    plan
                };
                let first = install(false);
                assert!(!first.is_nothing() && first.diff(&directories).contains("+"), "{}", agent.id);
                let text = std::fs::read_to_string(&file).unwrap();
                assert!(text.contains(NAME) && tree(root.path()).len() > before.len(), "{text}");
                for line in
                    sample.as_deref().unwrap_or_default().lines().filter(|line| line.contains("other"))
                {
                    assert!(text.contains(line.trim_end_matches(',').trim()), "{line} in {text}");
                }
                let after = tree(root.path());
                assert!(install(false).is_nothing(), "{}: again", agent.id);
                assert_eq!(tree(root.path()), after);
                install(true);
                let end = uninstall(agent, NAME, &directories, &state).unwrap();
                end.apply(&state).unwrap();
                assert_eq!(tree(root.path()), before, "{}: {sample:?}", agent.id);
                assert!(uninstall(agent, NAME, &directories, &state).unwrap().is_nothing());
            }
        }
    }

    #[test]
    fn what_others_change_meanwhile_stays() {
        for agent in AGENTS.iter().filter(|agent| agent.by_hand.is_empty()) {
            let root = tempfile::tempdir().unwrap();
            let directories = directories(root.path());
            let file = agent.file(&directories).unwrap();
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            let (text, mine) = match agent.syntax {
                Syntax::Json => ("{\n  \"a\": 1\n}\n", "{\n  \"a\": 2,"),
                Syntax::Toml => ("a = 1\n", "a = 2\n"),
            };
            std::fs::write(&file, text).unwrap();
            let plan = plan(agent, &reach(false), Wanted::default(), &directories, root.path()).unwrap();
            let stale = plan.clone();
            plan.apply(root.path()).unwrap();
            assert!(stale.apply(root.path()).is_err(), "the file has moved on");
            let installed = std::fs::read_to_string(&file).unwrap();
            std::fs::write(&file, installed.replacen("1", "2", 1)).unwrap();
            uninstall(agent, NAME, &directories, root.path()).unwrap().apply(root.path()).unwrap();
            let left = std::fs::read_to_string(&file).unwrap();
            assert!(!left.contains(NAME), "{left}");
            assert!(left.starts_with(mine.trim_end_matches(',')), "{left}");
        }
    }

    #[test]
    fn an_entry_that_was_there_before_comes_back() {
        for agent in AGENTS.iter().filter(|agent| agent.by_hand.is_empty()) {
            let table = agent.table;
            let text = match agent.syntax {
                Syntax::Json => format!(
                    "{{\n  \"{table}\": {{\n    \"{NAME}\": {{\"command\": \"/old\", \"env\": {{\"A\": \"b\"}}}}, // mine\n  }}\n}}\n"
                ),
                Syntax::Toml => {
                    format!(
                        "[{table}.{NAME}]\ncommand = \"/old\" # mine\n\n[{table}.{NAME}.env]\nA = \"b\"\n"
                    )
                }
            };
            let end = match agent.syntax {
                Syntax::Json => "// more\n",
                Syntax::Toml => "\n[z]\na = 1\n",
            };
            for is_edited in [false, true] {
                let root = tempfile::tempdir().unwrap();
                let directories = directories(root.path());
                let file = agent.file(&directories).unwrap();
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(&file, &text).unwrap();
                for stdio in [false, true] {
                    let plan = plan(agent, &reach(stdio), Wanted::default(), &directories, root.path());
                    plan.unwrap().apply(root.path()).unwrap();
                }
                let installed = std::fs::read_to_string(&file).unwrap();
                assert!(!installed.contains("/old"), "{installed}");
                if is_edited {
                    std::fs::write(&file, format!("{installed}{end}")).unwrap();
                }
                uninstall(agent, NAME, &directories, root.path()).unwrap().apply(root.path()).unwrap();
                let left = std::fs::read_to_string(&file).unwrap();
                assert!(is_edited || left == text, "{}: {left}", agent.id);
                assert!(left.contains("/old") && left.contains("\"b\""), "{}: {left}", agent.id);
                assert!(!left.contains("/bin/ide-index-mcp") && left.ends_with(end) == is_edited, "{left}");
                // without a memory it is an entry like any other
                uninstall(agent, NAME, &directories, root.path()).unwrap().apply(root.path()).unwrap();
                assert!(!std::fs::read_to_string(&file).unwrap().contains(NAME), "{}", agent.id);
            }
        }
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        let root = tempfile::tempdir().unwrap();
        let directories = directories(root.path());
        for agent in AGENTS.iter().filter(|agent| agent.by_hand.is_empty()) {
            let file = agent.file(&directories).unwrap();
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, "{ no settings [").unwrap();
            let refused = plan(agent, &reach(false), Wanted::default(), &directories, root.path());
            assert!(refused.unwrap_err().contains("~/"), "{}", agent.id);
            std::fs::remove_file(&file).unwrap();
        }
        let by_hand = Agent::of("jetbrains").unwrap();
        let told = plan(by_hand, &reach(false), Wanted::default(), &directories, root.path()).unwrap_err();
        assert!(told.contains("Settings"), "{told}");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_rights_stay() {
        use std::os::unix::fs::PermissionsExt as _;
        let root = tempfile::tempdir().unwrap();
        let directories = directories(root.path());
        let agent = Agent::of("cursor").unwrap();
        let file = agent.file(&directories).unwrap();
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let target = root.path().join("dotfile");
        std::fs::write(&target, "{}").unwrap();
        std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&target, &file).unwrap();
        plan(agent, &reach(false), Wanted::default(), &directories, root.path())
            .unwrap()
            .apply(root.path())
            .unwrap();
        assert!(std::fs::symlink_metadata(&file).unwrap().is_symlink());
        assert!(std::fs::read_to_string(&target).unwrap().contains(NAME));
        assert_eq!(std::fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
        // a link to a file that is still to be made, and one that leads nowhere
        std::fs::remove_file(&target).unwrap();
        let install = || {
            let plan = plan(agent, &reach(true), Wanted::default(), &directories, root.path());
            plan.and_then(|plan| plan.apply(root.path()))
        };
        install().unwrap();
        assert!(std::fs::symlink_metadata(&file).unwrap().is_symlink() && target.exists());
        std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o440)).unwrap();
        let before = std::fs::read(&target).unwrap();
        let refused = uninstall(agent, NAME, &directories, root.path()).unwrap().apply(root.path());
        assert!(refused.unwrap_err().contains("read-only"));
        assert_eq!(std::fs::read(&target).unwrap(), before);
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(&file, &file).unwrap();
        assert!(install().unwrap_err().contains("mcp.json"));
    }
}
