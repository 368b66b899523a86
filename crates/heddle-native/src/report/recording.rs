//! `record=PATH`: the run as a trace, to be checked later by `heddle check`.
//!
//! Events are written while the program runs. Which source line a site is and what a lock or a racy
//! variable is called is found out at the end, and so is which features the run has: the legend comes
//! last, and the header, which comes first, is written again.

use crate::access::GRANULE;
use crate::report::file::{File, Mode};
use crate::report::frames::Frames;
use crate::report::modules::modules;
use crate::report::places::Hints;
use crate::report::races::lock_name;
use crate::report::tables::{Tables, UNKNOWN};
use crate::report::witness::{self, Witnesses};
use crate::runtime::{Lock, Runtime};
use heddle_core::{
    AccessKind, Event, Features, FileId, Legend, Listener, Site, SiteId, SourceFile,
};
use heddle_rt::{Engine, Label, Recorded, Recording, Unit};
use heddle_trace::Writer;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a run may turn out to have.
const ALL: Features = Features {
    extra_edges: true,
    scope_handles: true,
    isolated: true,
    locks: true,
    choices: false,
    cuts: true,
    atomics: true,
};

static WRITER: Mutex<Option<Writer<File>>> = Mutex::new(None);

fn writer() -> MutexGuard<'static, Option<Writer<File>>> {
    WRITER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Records what the engine is told from now on. Without a file to record to, the program runs all the
/// same.
pub(crate) fn start(engine: &mut Engine, path: &Path) {
    let shown = path.to_string_lossy();
    let path = shown.replace("%p", &std::process::id().to_string());
    match File::open(Path::new(&path), Mode::Replace) {
        Err(error) => crate::say::say!("heddle: cannot record to {path}: {error}"),
        Ok(file) => {
            *writer() = Some(Writer::new(file, &ALL, None));
            engine.record_to(Recording {
                to: Box::new(Tape),
                unit: Unit::Byte,
            });
        }
    }
}

/// Closes the recording, if there is one.
pub(crate) fn finish(runtime: &Runtime) {
    let Some(recorded) = runtime.engine.finish_recording() else {
        return;
    };
    let legend = witness::with(|witnesses| legend(runtime, &recorded, witnesses));
    let Some(writer) = writer().take() else {
        return;
    };
    let written = writer.finish(Some(&legend));
    let announced = written.and_then(|mut file| {
        // The header once more, now that it is known what the run has.
        let mut header = Vec::new();
        drop(Writer::new(&mut header, &recorded.features, None));
        file.write_at_start(&header)
    });
    if let Err(error) = announced {
        crate::say::say!("heddle: the recording is not complete: {error}");
    }
}

/// Gets the events from the engine.
struct Tape;

impl Listener for Tape {
    fn on(&mut self, event: Event) {
        writer().iter_mut().for_each(|writer| writer.on(event));
    }
}

fn legend(runtime: &Runtime, recorded: &Recorded, witnesses: &Witnesses) -> Legend {
    let mut tables = Tables::new(modules());
    let rows: Vec<SiteId> = recorded
        .sites
        .iter()
        .map(|&site| row(&mut tables, witnesses, site))
        .collect();
    let locks = runtime.locks.all();
    let name = |&label: &Label| name(&mut tables, witnesses, &locks, label);
    let names = recorded.names.iter().map(name).collect();
    let mut files = std::mem::take(&mut tables.legend.files);
    let nowhere = nowhere(&mut files);
    let site = |row: SiteId| tables.legend.site(row).map_or(nowhere, sound);
    Legend {
        sites: rows.into_iter().map(site).collect(),
        files,
        names,
    }
}

/// The row of a site, as a report has it.
fn row(tables: &mut Tables, witnesses: &Witnesses, site: u32) -> SiteId {
    let mut stacks = witnesses.stacks.iter();
    let seen = stacks.find(|(sites, _)| sites[1] == site);
    tables.called(SiteId::new(site), seen.map_or(&[], |(_, callers)| callers))
}

/// Where nothing is known of a position.
fn nowhere(files: &mut Vec<SourceFile>) -> Site {
    files.push(SourceFile {
        path: "?".into(),
        text: None,
    });
    Site {
        file: FileId::new(files.len() as u32 - 1),
        line: 1,
        column: 1,
        end_line: 1,
        end_column: 1,
    }
}

/// The position, with lines and columns that count from one: compilers say 0 where they know none.
fn sound(site: Site) -> Site {
    let (line, column) = (site.line.max(1), site.column.max(1));
    let end = (site.end_line, site.end_column).max((line, column));
    Site {
        line,
        column,
        end_line: end.0,
        end_column: end.1.max(1),
        ..site
    }
}

fn name(tables: &mut Tables, witnesses: &Witnesses, locks: &[Lock], label: Label) -> String {
    match label {
        Label::Lock(lock) => lock_name(locks, tables, lock),
        Label::Atomic => "atomic".into(),
        Label::HandOver => "hand-over".into(),
        Label::Signal => "signal".into(),
        Label::Memory { start, site } => memory(tables, witnesses, start.0, site),
    }
}

fn memory(tables: &mut Tables, witnesses: &Witnesses, start: u64, site: u32) -> String {
    let row = match site {
        0 => UNKNOWN,
        site => row(tables, witnesses, site),
    };
    let block = witnesses.blocks.get(&(start / GRANULE as u64)).copied();
    let accesses = [(row, AccessKind::Read); 2];
    let located = tables.locate(
        start as usize,
        Hints {
            block,
            accesses,
            frames: Frames::default(),
        },
    );
    match located.index {
        Some(index) => format!("{}[{index}]", located.name),
        None => located.name,
    }
}
