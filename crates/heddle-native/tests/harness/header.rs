//! The leading comment of a test program, which says what must be found in it.
//!
//! One `// key: value` per line, until the first line that is no comment:
//!
//! - `expect: clean`, `expect: race [LINE[:COLUMN] ...]`, `expect: possible [LINE[:COLUMN] ...]`;
//!   the lines are those of the accesses, all of them;
//! - `expect: certain race [LINE[:COLUMN] ...]`: the same, but the lines are those of certain races alone;
//! - `expect: atomicity [UNIT] [LINE[:COLUMN] ...]` or `expect: possible atomicity ...`, beside or instead of a
//!   race: the unit that is torn (`x`, or `x,y` for a group) and the lines of all accesses that tear;
//! - `flags:` for the compiler; `compilers: clang,gcc` (clang alone if not said);
//! - `threads: 1,2,4` to run with (4 if not said); `env: KEY=VALUE ...`; `args: ...`;
//! - `exit:` the program's own status (0 if not said); `stdout:` a line it prints.
//!
//! Other comments are for the reader.

use std::fmt;
use std::path::Path;

/// What a program must yield, and how it is built and run.
#[derive(Clone, Debug)]
pub struct Header {
    /// About races.
    pub expect: Expect,
    pub lines: Vec<Mark>,
    /// Whether the lines are those of certain races alone.
    pub only_certain: bool,
    /// About atomicity.
    pub torn: Option<Torn>,
    pub flags: Vec<String>,
    pub compilers: Vec<String>,
    pub threads: Vec<u32>,
    pub env: Vec<(String, String)>,
    pub args: Vec<String>,
    pub exit: i32,
    pub stdout: Option<String>,
}

/// What must be found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expect {
    Clean,
    Race,
    Possible,
}

/// What must be found torn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Torn {
    pub certainty: &'static str,
    pub unit: Option<String>,
    pub lines: Vec<Mark>,
}

/// A source line, perhaps with a column.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark {
    pub line: u64,
    pub column: Option<u64>,
}

impl Header {
    /// The header of the program at `path`.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        Self::parse(&text)
    }

    /// The header of this source text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut header = Self {
            expect: Expect::Clean,
            lines: Vec::new(),
            only_certain: false,
            torn: None,
            flags: Vec::new(),
            compilers: vec!["clang".into()],
            threads: vec![4],
            env: Vec::new(),
            args: Vec::new(),
            exit: 0,
            stdout: None,
        };
        let comments = text.lines().map_while(|line| line.strip_prefix("//"));
        let pairs: Vec<_> = comments
            .filter_map(|line| line.trim().split_once(": "))
            .collect();
        if !pairs.iter().any(|(key, _)| *key == "expect") {
            return Err("there is no `// expect:` line".into());
        }
        for (key, value) in pairs {
            header.set(key, value.trim())?;
        }
        Ok(header)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let words = || value.split_whitespace().map(str::to_owned).collect();
        match key {
            "expect" => return self.set_expect(value),
            "flags" => self.flags = words(),
            "args" => self.args = words(),
            "compilers" => self.compilers = listed(value).map(str::to_owned).collect(),
            "threads" => self.threads = listed(value).map(number).collect::<Result<_, _>>()?,
            "env" => {
                self.env = value
                    .split_whitespace()
                    .map(pair)
                    .collect::<Result<_, _>>()?
            }
            "exit" => self.exit = number(value)?,
            "stdout" => self.stdout = Some(value.into()),
            _ => {}
        }
        Ok(())
    }

    fn set_expect(&mut self, value: &str) -> Result<(), String> {
        let words: Vec<&str> = value.split_whitespace().collect();
        match words.as_slice() {
            ["atomicity", rest @ ..] => self.set_torn("certain", rest),
            ["possible", "atomicity", rest @ ..] => self.set_torn("possible", rest),
            ["clean"] => self.set_races(Expect::Clean, &[]),
            ["certain", "race", lines @ ..] => {
                self.only_certain = true;
                self.set_races(Expect::Race, lines)
            }
            ["race", lines @ ..] => self.set_races(Expect::Race, lines),
            ["possible", lines @ ..] => self.set_races(Expect::Possible, lines),
            _ => Err(format!("`expect: {value}` says nothing")),
        }
    }

    fn set_races(&mut self, expect: Expect, lines: &[&str]) -> Result<(), String> {
        self.expect = expect;
        self.lines.extend(marks(lines)?);
        self.lines.sort();
        self.lines.dedup();
        Ok(())
    }

    fn set_torn(&mut self, certainty: &'static str, words: &[&str]) -> Result<(), String> {
        let is_line = |word: &&&str| word.starts_with(|first: char| first.is_ascii_digit());
        let unit = words.first().filter(|word| !is_line(word));
        let lines = marks(&words[unit.iter().len()..])?;
        let unit = unit.map(|unit| (*unit).to_owned());
        self.torn = Some(Torn {
            certainty,
            unit,
            lines,
        });
        Ok(())
    }

    /// The worst that must be found.
    pub fn worst(&self) -> Expect {
        match (&self.torn, self.expect) {
            (Some(torn), _) if torn.certainty == "certain" => Expect::Race,
            (Some(_), Expect::Clean) => Expect::Possible,
            (_, expect) => expect,
        }
    }
}

fn marks(words: &[&str]) -> Result<Vec<Mark>, String> {
    words.iter().map(|word| Mark::parse(word)).collect()
}

impl Mark {
    fn parse(word: &str) -> Result<Self, String> {
        Ok(match word.split_once(':') {
            None => Self {
                line: number(word)?,
                column: None,
            },
            Some((line, column)) => Self {
                line: number(line)?,
                column: Some(number(column)?),
            },
        })
    }

    /// Whether this is where the other is, as far as both say.
    pub fn covers(self, other: Self) -> bool {
        let columns = self.column.zip(other.column);
        self.line == other.line && columns.is_none_or(|(mine, other)| mine == other)
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.column {
            None => write!(f, "{}", self.line),
            Some(column) => write!(f, "{}:{column}", self.line),
        }
    }
}

fn listed(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').map(str::trim)
}

fn number<N: std::str::FromStr>(word: &str) -> Result<N, String> {
    word.parse().map_err(|_| format!("`{word}` is no number"))
}

fn pair(word: &str) -> Result<(String, String), String> {
    let pair = word
        .split_once('=')
        .ok_or_else(|| format!("`{word}` sets nothing"))?;
    Ok((pair.0.into(), pair.1.into()))
}
