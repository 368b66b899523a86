//! A Markdown page, as far as its commands go: fenced blocks, and the notes in front of them.
//!
//! A note is a comment of the form `<!-- key: value -->` in front of a block:
//!
//! - `file: NAME`: the block is the content of this file, which later commands find;
//! - `setup: COMMANDS`: what is done before the block's own commands, and not shown;
//! - `status: N`: the last command of the block ends with this status, not with 0;
//! - `not run: REASON`: nobody runs these commands, for this reason;
//! - `figure: FILE`: the picture that follows is what `heddle graph` draws of this file.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// One page of the book.
pub struct Page {
    /// Below the repository's root.
    pub path: PathBuf,
    pub text: String,
    pub blocks: Vec<Block>,
    /// Pictures and the files they are drawn from.
    pub figures: Vec<Figure>,
    /// The lines outside of blocks, with their numbers.
    pub prose: Vec<(usize, String)>,
}

/// A fenced block.
pub struct Block {
    pub language: String,
    pub text: String,
    /// Where the text stands in the page.
    pub span: Range<usize>,
    /// The number of its first line.
    pub line: usize,
    notes: Notes,
}

/// A picture in a page.
pub struct Figure {
    pub image: String,
    pub drawn_from: Option<String>,
}

type Notes = Vec<(String, String)>;

/// What is to be done with a block.
pub enum Role<'a> {
    /// It is a file.
    File(&'a str),
    /// Its lines are commands for a shell.
    Script(String),
    /// Commands behind `$`, each with what it prints.
    Session,
    /// Commands that nobody runs, and why.
    NotRun(&'a str),
    /// It holds no commands.
    Other,
}

impl Page {
    pub fn read(root: &Path, path: PathBuf) -> Self {
        let text = fs::read_to_string(root.join(&path)).expect("pages are readable");
        let mut page = Self {
            path,
            blocks: Vec::new(),
            figures: Vec::new(),
            prose: Vec::new(),
            text: String::new(),
        };
        page.parse(&text);
        page.text = text;
        page
    }

    fn parse(&mut self, text: &str) {
        let mut notes = Notes::new();
        let mut open: Option<Block> = None;
        let mut at = 0;
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            let start = at;
            at += line.len();
            let line = line.trim_end();
            let fence = line.trim_start().strip_prefix("```");
            match (&mut open, fence) {
                (Some(_), Some("")) => {
                    let mut block = open.take().expect("a block is open");
                    block.span.end = start;
                    block.text = text[block.span.clone()].into();
                    self.blocks.push(block);
                }
                (Some(_), _) => {}
                (None, Some(language)) => {
                    open = Some(Block {
                        language: language.into(),
                        text: String::new(),
                        span: at..at,
                        line: number + 1,
                        notes: std::mem::take(&mut notes),
                    });
                }
                (None, None) => self.line(number, line, &mut notes),
            }
        }
        assert!(
            open.is_none(),
            "{}: a block has no end",
            self.path.display()
        );
    }

    /// A line outside of blocks.
    fn line(&mut self, number: usize, line: &str, notes: &mut Notes) {
        if let Some(found) = note(line) {
            notes.push(found);
            return;
        }
        if let Some(image) = between(line, "![", "](").and_then(|alt| {
            let rest = &line[line.find(alt)? + alt.len()..];
            between(rest, "](", ")")
        }) {
            let drawn = notes.iter().find(|(key, _)| key == "figure");
            self.figures.push(Figure {
                image: image.into(),
                drawn_from: drawn.map(|(_, file)| file.clone()),
            });
        }
        if !line.is_empty() {
            notes.clear();
        }
        self.prose.push((number, line.into()));
    }
}

impl Block {
    fn note(&self, key: &str) -> Option<&str> {
        let found = self.notes.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str())
    }

    /// The status that its last command must end with.
    pub fn status(&self) -> i32 {
        let given = self.note("status").map(|status| status.parse());
        given.map_or(0, |status| status.expect("a status is a number"))
    }

    /// The script behind what prepares for it.
    fn prepared(&self, script: &str) -> String {
        let setup = self.note("setup").unwrap_or_default();
        format!("{setup}\n{script}")
    }

    pub fn role(&self) -> Role<'_> {
        if let Some(reason) = self.note("not run") {
            return Role::NotRun(reason);
        }
        if let Some(name) = self.note("file") {
            return Role::File(name);
        }
        match self.language.as_str() {
            "sh" => Role::Script(self.prepared(&self.text)),
            "yaml" => Role::Script(self.prepared(&steps(&self.text))),
            _ if self.text.starts_with("$ ") => Role::Session,
            _ => Role::Other,
        }
    }
}

/// The commands of a CI recipe that are Heddle's.
fn steps(yaml: &str) -> String {
    let commands = yaml.lines().filter_map(|line| {
        let line = line.trim_start();
        let line = line.strip_prefix("- ").unwrap_or(line);
        let line = line.strip_prefix("run: ").unwrap_or(line);
        line.starts_with("heddle ").then_some(line)
    });
    commands.map(|command| format!("{command}\n")).collect()
}

fn note(line: &str) -> Option<(String, String)> {
    let inner = line.trim().strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    let (key, value) = inner.split_once(": ")?;
    Some((key.into(), value.into()))
}

/// What stands between the first `start` and the next `end`.
pub fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let rest = &text[text.find(start)? + start.len()..];
    Some(&rest[..rest.find(end)?])
}
