//! Explorations in parts: shares of several processes, and what is done in a file.

use super::exploration::Exploration;
use super::program::RustProgram;
use heddle_explore::{Checkpoint, Fingerprint, Saved};
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// One part of several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shard {
    /// From 1 on.
    index: u32,
    count: u32,
}

impl Shard {
    /// Part `index` of `count`, if there is such a part.
    pub(super) fn new(index: u32, count: u32) -> Option<Self> {
        (1..=count)
            .contains(&index)
            .then_some(Self { index, count })
    }

    /// As the search counts them.
    pub(super) fn counted_from_zero(self) -> (u32, u32) {
        (self.index - 1, self.count)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// The part that `HEDDLE_SHARD` names.
///
/// # Panics
/// If it names none.
pub(super) fn shard_of_environment() -> Option<Shard> {
    let text = std::env::var("HEDDLE_SHARD").ok()?;
    let text = Some(text).filter(|text| !text.is_empty())?;
    let parsed = text.split_once('/').and_then(|(index, count)| {
        Shard::new(index.trim().parse().ok()?, count.trim().parse().ok()?)
    });
    let wrong = || panic!("HEDDLE_SHARD: '{text}' is no part: say 3/16 for the third of sixteen");
    Some(parsed.unwrap_or_else(wrong))
}

/// Leaves the result in the folder that `HEDDLE_RESULTS` names.
///
/// # Panics
/// If it cannot be written: nobody is to take a missing part for one that is there.
pub(super) fn leave(exploration: &Exploration) {
    let Some(folder) = std::env::var_os("HEDDLE_RESULTS").filter(|folder| !folder.is_empty())
    else {
        return;
    };
    let (folder, program) = (PathBuf::from(folder), exploration.program());
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '.' {
            c
        } else {
            '-'
        }
    };
    let mut name: String = program.chars().map(plain).collect();
    if let Some(Shard { index, count }) = exploration.shard {
        name += &format!("-part-{index}-of-{count}");
    }
    let file = folder.join(name + ".json");
    let written =
        fs::create_dir_all(&folder).and_then(|()| fs::write(&file, exploration.to_json()));
    if let Err(error) = written {
        panic!("HEDDLE_RESULTS: cannot write {}: {error}", file.display());
    }
}

/// Where what is done is kept.
pub(super) struct File {
    path: PathBuf,
    /// The executable, and how it is explored.
    identity: String,
    saved: Option<Saved>,
}

impl File {
    /// The file at this path, for an exploration that is told from others by `how`.
    ///
    /// # Panics
    /// If the file is there and cannot be read, or is of something else.
    pub(super) fn new(path: &Path, how: &str) -> Self {
        let identity = format!("{:016x} {how}", own_code());
        let saved = match fs::read_to_string(path) {
            Ok(text) => Some(Saved::parse(&text)),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => panic!("cannot read {}: {error}", path.display()),
        };
        let bad = |what: &dyn fmt::Display| -> ! {
            panic!(
                "{}: {what}; take another file, or remove this one to begin anew",
                path.display()
            )
        };
        let saved = saved.map(|saved| saved.unwrap_or_else(|wrong| bad(&wrong)));
        let file = Self {
            path: path.to_owned(),
            identity,
            saved,
        };
        let is_own = |saved: &Saved| {
            [false, true]
                .iter()
                .any(|&tries| saved.is_of(&file.of(tries)))
        };
        if !file.saved.as_ref().is_none_or(is_own) {
            bad(&"a checkpoint of another program or of other settings");
        }
        file
    }

    fn of(&self, tries: bool) -> String {
        let tries = if tries { "tries locks" } else { "" };
        format!("{} {tries}", self.identity)
    }

    /// Whether what is done was done of a program that tries locks.
    pub(super) fn has_tried(&self) -> bool {
        let saved = self.saved.as_ref();
        saved.is_some_and(|saved| saved.is_of(&self.of(true)))
    }

    /// What was done before.
    pub(super) fn load<F: Fn() + Sync>(
        &self,
        tries: bool,
        program: &RustProgram<F>,
    ) -> Option<Checkpoint> {
        let saved = self.saved.as_ref()?;
        saved.resume(&self.of(tries), program).ok()
    }

    /// Keeps what is done.
    pub(super) fn save(&self, tries: bool, done: &Checkpoint) {
        // Numbers of locks, which states have in them, mean others in another process.
        let done = Checkpoint {
            states: Vec::new(),
            ..done.clone()
        };
        let mut beside = self.path.clone().into_os_string();
        beside.push(".new");
        let written = fs::write(&beside, Saved::new(&self.of(tries), &done).to_text())
            .and_then(|()| fs::rename(&beside, &self.path));
        if let Err(error) = written {
            eprintln!("heddle: cannot write {}: {error}", self.path.display());
        }
    }
}

/// A hash of the executable: a schedule means another one after a change.
fn own_code() -> u64 {
    let code = std::env::current_exe()
        .and_then(fs::read)
        .unwrap_or_default();
    let mut hash = Fingerprint::new();
    for chunk in code.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash.add(u64::from_le_bytes(word));
    }
    hash.words()[0]
}
