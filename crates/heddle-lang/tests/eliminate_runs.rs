//! Eliminations and what a run shows: whatever subset is on, the program does the same, delivers
//! no access it would not have delivered, and is found to race on the same locations.

use heddle_check::check;
use heddle_core::{
    AccessKind, Certainty, Event, Extent, Features, Finding, Listener, Location, OrderChoice,
    Place, Run,
};
use heddle_lang::eliminate::{Eliminations, eliminate};
use heddle_lang::ir::{Elimination, Program};
use heddle_lang::machine::Code;
use heddle_lang::{compile, machine};
use std::collections::BTreeMap;
use std::path::Path;

/// All 32 sets.
fn subsets() -> impl Iterator<Item = Eliminations> {
    (0..1u32 << Elimination::ALL.len()).map(|bits| {
        let members = Elimination::ALL.into_iter();
        members
            .filter(|each| bits & (1 << *each as u32) != 0)
            .fold(Eliminations::none(), Eliminations::with)
    })
}

/// What one run shows.
struct Shown {
    printed: Vec<i64>,
    /// Everything but accesses.
    others: Vec<Event>,
    accesses: BTreeMap<(Location, AccessKind), usize>,
}

fn shown(program: &Program) -> Shown {
    let (mut events, mut printed) = (Vec::new(), Vec::new());
    machine::run(program, &mut events, &mut |value| printed.push(value));
    let mut accesses = BTreeMap::new();
    events.retain(|event| match touched(*event) {
        Some((extent, kind)) => {
            *accesses.entry((extent.start, kind)).or_default() += 1;
            false
        }
        None => true,
    });
    Shown {
        printed,
        others: events,
        accesses,
    }
}

fn touched(event: Event) -> Option<(Extent, AccessKind)> {
    match event {
        Event::Read { extent, .. } => Some((extent, AccessKind::Read)),
        Event::Write { extent, .. } => Some((extent, AccessKind::Write)),
        _ => None,
    }
}

/// A compiled program, as the detectors want it.
struct Runner {
    code: Code,
    full: Code,
    features: Features,
}

impl Run for Runner {
    fn features(&self) -> Features {
        self.features
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        self.code.run(listener, &mut |_| {});
    }

    fn run_in_full<L: Listener>(&mut self, listener: &mut L) {
        self.full.run(listener, &mut |_| {});
    }
}

/// The locations that race, each with its strongest verdict.
fn races(program: &Program, full: &Program) -> BTreeMap<Place, Certainty> {
    let mut runner = Runner {
        code: Code::new(program),
        full: Code::new(full),
        features: program.features,
    };
    let outcome = check(&mut runner, OrderChoice::Graph).expect("the graph follows any run");
    let mut races = BTreeMap::new();
    for finding in outcome.findings {
        if let Finding::Race {
            place, certainty, ..
        } = finding
        {
            let known = races.entry(place).or_insert(certainty);
            *known = certainty.max(*known);
        }
    }
    races
}

fn changes_nothing(source: &str) {
    let plain = compile("test.task", source).unwrap_or_else(|errors| panic!("{errors:?}"));
    let (all, expected) = (shown(&plain), races(&plain, &plain));
    for set in subsets() {
        let mut program = plain.clone();
        eliminate(&mut program, set);
        let names: Vec<_> = set.iter().map(Elimination::name).collect();
        let some = shown(&program);
        assert_eq!(some.printed, all.printed, "{names:?} on {source}");
        assert_eq!(some.others, all.others, "{names:?} on {source}");
        for (key, count) in some.accesses {
            let most = all.accesses.get(&key).copied().unwrap_or(0);
            assert!(
                count <= most,
                "{key:?} {count} times with {names:?} on {source}"
            );
        }
        assert_eq!(races(&program, &plain), expected, "{names:?} on {source}");
    }
}

#[test]
fn examples_are_the_same_with_any_eliminations() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of examples") {
        let path = entry.expect("a readable entry").path();
        if path
            .extension()
            .is_some_and(|extension| extension == "task")
        {
            changes_nothing(&std::fs::read_to_string(path).expect("text"));
            seen += 1;
        }
    }
    assert!(seen >= 28, "only {seen} examples found");
}

#[test]
fn bounds_with_effects_are_evaluated_once_and_in_sequence() {
    changes_nothing(
        "shared x, n = 3;
         proc p(v) { print v; n = n + 1; return v; }
         finish { for k in 0..2 { async { for i in p(0) + 0..p(n) + 0 { x = i; print i; } } } }",
    );
}

#[test]
fn loops_that_do_not_run_make_no_access() {
    changes_nothing(
        "shared x, n;
         finish { for k in 0..2 { async {
           for i in 0..n { x = 1; }
           let j = 0;
           while (j > 0) { read x; }
           for i in k..k { x = 2; }
         } } }",
    );
}

#[test]
fn faults_come_where_they_came_before() {
    for body in [
        "for i in 0..3 { let v = 1 / (1 - i); x = v; }",
        "let j = 7; for i in 0..3 { print i; A[j] = i; }",
        "let j = 0 - 1; let i = 0; while (i < 3) { A[j] = 1; i = i + 1; }",
        "let q = new[1]; for i in 0..3 { q[i] = x; }",
        "let q = new[1]; for i in 0..q { x = 1; }",
        "let v = x; let w = A[k + 4]; x = 1;",
        "let v = x; with L { acquire L; } x = 1;",
        "for i in 0..3 { x = q(3) + A[9]; }",
        "x = 1; return; x = 2;",
    ] {
        changes_nothing(&format!(
            "shared x, A[4]; lock L; proc q(a) {{ return a[0]; }}
             finish {{ for k in 0..2 {{ async {{ {body} }} }} }}"
        ));
    }
}

#[test]
fn hand_offs_between_sections_stay() {
    for [first, second] in [
        [
            "x = 1; with L { f = 1; }",
            "let g = 0; with L { g = f; } if (g) { x = 2; }",
        ],
        [
            "x = 1; with L { f = 1; }",
            "let g = 0; with L { f = f + 1; g = f; } x = g;",
        ],
        [
            "x = 1; with L { f = 1; f = 2; }",
            "with L { for i in 0..2 { f = 3; read f; } } x = 1;",
        ],
        [
            "x = 1; with L { f = 1; } f = 2;",
            "with L { read f; } x = 1;",
        ],
        ["x = 1; with L { p(); }", "with L { p(); } x = 1;"],
        [
            "x = 1; isolated { f = f + 1; }",
            "isolated { f = f + 1; } x = 1;",
        ],
        [
            "x = 1; with L { f = 1; }",
            "with L { read x; read f; read x; } x = 1;",
        ],
    ] {
        changes_nothing(&format!(
            "shared x, f; lock L; proc p() {{ f = f + 1; }}
             f = 0; with L {{ f = 5; }}
             finish {{ async {{ {first} }} async {{ {second} }} }}
             with L {{ f = 0; }} f = x;
             finish {{ async {{ {second} }} async {{ {first} }} }}"
        ));
    }
}

#[test]
fn recursion_and_children_are_the_same() {
    changes_nothing(
        "shared s, A[8];
         proc fill(from, to) {
           s = s + 1;
           if (to - from < 2) { A[from] = A[from] + 1; return; }
           let middle = (from + to) / 2;
           spawn fill(from, middle);
           fill(middle, to);
           sync;
           s = s + A[from];
         }
         fill(0, 8);
         print s;
         fill(0, 4);
         finish { async { fill(4, 8); } }
         print A[0];",
    );
}

#[test]
fn arrays_that_stay_and_arrays_that_leave() {
    changes_nothing(
        "shared x;
         proc keep(a) { for i in 0..3 { a[0] = a[0] + i; } return a[0]; }
         proc share(a) { async { a[1] = 1; } a[1] = 2; }
         finish { for k in 0..3 { async {
           let q = new[2];
           let r = q;
           for i in 0..k { r[0] = q[1] + i; x = q[0]; }
           let own = new[2];
           print keep(own);
           if (k > 1) { share(q); }
         } } }
         let all = new[4];
         finish { for k in 0..4 { async { all[k] = k; all[3] = 1; } } }
         print all[2];",
    );
}

#[test]
fn every_task_construct_separates_strands() {
    for operation in [
        "async { x = 3; }",
        "finish { async { x = 3; } }",
        "spawn { x = 3; } sync;",
        "spawn { x = 3; } finish { spawn { y = 2; } sync; }",
        "future f { x = 3; return 4; } y = get(f);",
        "future f { x = 3; return 4; } y = x + get(f) + x;",
        "task T { x = 3; } task U after T { y = x; }",
        "post r { x = 3; } await r;",
        "post r { x = 3; } ewait r;",
        "h();",
        "if (k) { h(); }",
        "for i in 0..k { h(); }",
    ] {
        changes_nothing(&format!(
            "shared x, y; region r; proc h() {{ async {{ x = 5; }} }}
             x = 1;
             finish {{ for k in 0..2 {{ async {{
               read x; x = x + 1; {operation} read x; y = y + x; x = 2;
             }} }} }}
             y = x;
             let k = 1;
             read x; {operation} x = 9; read y;"
        ));
    }
}
