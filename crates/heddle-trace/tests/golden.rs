//! Files written by version 1 stay readable. If this fails, the format changed: raise the version,
//! keep reading the old one, and add files beside these; never rewrite them.

use heddle_core::*;
use heddle_trace::{Trace, Writer};

const STUCK: &[u8] = include_bytes!("data/version-1-stuck.trace");
const FAULT: &[u8] = include_bytes!("data/version-1-fault.trace");

const FEATURES: Features = Features {
    extra_edges: true,
    scope_handles: true,
    isolated: true,
    locks: true,
    choices: false,
    cuts: true,
    atomics: false,
};

fn legend() -> Legend {
    let file = FileId::new(0);
    let site = |line, column, end_line, end_column| Site {
        file,
        line,
        column,
        end_line,
        end_column,
    };
    let text = Some("shared x;\nasync { x = 1; }\nx = 2;\n".to_owned());
    Legend {
        files: vec![SourceFile {
            path: "golden.task".into(),
            text,
        }],
        sites: vec![
            site(2, 1, 2, 6),
            site(2, 9, 2, 10),
            site(3, 1, 3, 2),
            site(1, 1, 3, 7),
        ],
        names: vec!["x".into(), "größe".into(), "r".into()],
    }
}

/// Every kind of event but `Fault`, and every thing a task can get stuck on.
fn stuck_events() -> Vec<Event> {
    let site = |n| SiteId::new(n);
    let name = |n| NameId::new(n);
    let (task, finish) = (TaskId::new(1), FinishId::new(1));
    let (lock, token) = (LockId::new(1), TokenId::new(0));
    let cell = Extent::one(Location(0));
    let object = Extent::new(Location(0x7fff_0000_1000), 16);
    let stuck = |awaited| Event::Stuck {
        task: TaskId::MAIN,
        awaited,
        site: site(0),
    };
    vec![
        Event::Declare {
            extent: cell,
            name: name(0),
            shape: Shape::Scalar,
        },
        Event::Declare {
            extent: object,
            name: name(1),
            shape: Shape::Array,
        },
        Event::DeclareLock {
            lock,
            name: name(1),
        },
        Event::DeclareToken {
            token,
            name: name(2),
        },
        Event::FinishBegin {
            finish,
            kind: FinishKind::Finish,
            site: site(3),
        },
        Event::Spawn {
            task,
            finish,
            kind: TaskKind::Async,
            site: site(0),
            name: Some(name(0)),
        },
        Event::Begin { task },
        Event::Acquire {
            lock,
            mode: LockMode::Exclusive,
            site: site(1),
        },
        Event::Write {
            extent: cell,
            site: site(1),
        },
        Event::Read {
            extent: cell,
            site: site(2),
        },
        Event::Release {
            lock,
            site: site(0),
        },
        Event::Signal {
            token,
            site: site(3),
        },
        Event::End { task },
        Event::Resume { task: TaskId::MAIN },
        Event::Join {
            task,
            site: site(2),
        },
        Event::Wait {
            token,
            site: site(2),
        },
        Event::FinishEnd { finish },
        Event::Alloc {
            extent: object,
            name: None,
            site: site(1),
        },
        Event::Bind {
            start: object.start,
            name: name(1),
        },
        Event::Write {
            extent: object,
            site: site(1),
        },
        Event::Free {
            extent: object,
            site: site(2),
        },
        Event::Cut {
            by: CutBy::Hand,
            site: site(2),
        },
        Event::AssertionFailed { site: site(2) },
        stuck(Awaited::Finish(FinishId::MAIN)),
        stuck(Awaited::Task(task)),
        stuck(Awaited::Token(token)),
        stuck(Awaited::Lock(LockId::ISOLATED)),
        stuck(Awaited::Region(name(2))),
    ]
}

/// Every other kind of task and finish, and a fault.
fn fault_events() -> Vec<Event> {
    let (finish, site) = (FinishId::new(1), SiteId::new(0));
    let kinds = [
        TaskKind::Spawn,
        TaskKind::Future,
        TaskKind::Dependent,
        TaskKind::Post,
    ];
    let spawn = |(n, kind)| Event::Spawn {
        task: TaskId::new(n),
        finish: FinishId::MAIN,
        kind,
        site,
        name: None,
    };
    let message = FaultKind::IndexOutOfRange { index: -1, len: 3 };
    let mut events = vec![Event::FinishBegin {
        finish,
        kind: FinishKind::SyncBlock,
        site,
    }];
    events.extend((1..).zip(kinds).map(spawn));
    events.push(Event::Fault { site, message });
    events
}

fn write(events: &[Event]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &FEATURES, Some(&legend()));
    writer.note("command", "heddle record golden.task");
    events.iter().for_each(|event| writer.on(*event));
    writer.finish(None).expect("vectors take everything")
}

fn check(file: &[u8], expected: &[Event]) {
    let trace = Trace::read(file).expect("version 1 is read for ever");
    assert_eq!(trace.features, FEATURES);
    assert_eq!(trace.legend, legend());
    assert_eq!(
        trace.notes,
        [("command".to_owned(), "heddle record golden.task".to_owned())]
    );
    assert_eq!(trace.events().collect::<Vec<_>>(), expected);
}

#[test]
fn traces_of_version_1_still_read() {
    check(STUCK, &stuck_events());
    check(FAULT, &fault_events());
}

#[test]
fn version_1_is_still_written_byte_for_byte() {
    assert_eq!(write(&stuck_events()), STUCK);
    assert_eq!(write(&fault_events()), FAULT);
}
