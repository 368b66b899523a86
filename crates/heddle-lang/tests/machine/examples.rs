//! The example programs, and others with awkward schedules, run to their end by the rules.

use std::fs;
use std::path::Path;

use heddle_core::{Event, TaskId};

use super::{compiled, run};

#[track_caller]
fn assert_runs_to_the_end(source: &str) {
    let (events, _) = run(&compiled(source));
    let task = TaskId::MAIN;
    assert_eq!(events.last(), Some(&Event::End { task }), "{source}");
}

#[test]
fn every_example_runs_to_its_end() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the folder of examples") {
        let path = entry.expect("a readable entry").path();
        if path
            .extension()
            .is_some_and(|extension| extension == "task")
        {
            assert_runs_to_the_end(&fs::read_to_string(&path).expect("text"));
            count += 1;
        }
    }
    assert!(count >= 28, "only {count} examples found");
}

#[test]
fn a_chain_of_dependent_tasks_runs_to_its_end() {
    assert_runs_to_the_end(
        "event go; shared A[100];
         proc row(i, before) {
           if (i == 100) { return before; }
           future f { get(before); A[i] = A[i - 1] + 1; finish { async { read A[i]; } } }
           return row(i + 1, f);
         }
         task first after go { A[0] = 1; }
         let last = row(1, first);
         satisfy go;
         get(last);
         assert A[99] == 100;",
    );
}

#[test]
fn many_tasks_contending_for_a_lock_run_to_their_end() {
    assert_runs_to_the_end(
        "lock L, M; shared n; event e;
         acquire L;
         for i in 0..50 {
           async { with L { n = n + 1; with M { finish { async { skip; } } } } }
           spawn { with L { n = n + 1; } }
         }
         release L;
         sync;
         task t { skip; }
         for i in 0..50 { task t after t, e { with M { n = n + 1; } } }
         satisfy e;
         get(t);
         assert n == 150;",
    );
}

#[test]
fn pipelines_of_regions_run_to_their_end() {
    assert_runs_to_the_end(
        "region r, s; event e; shared n;
         for i in 0..20 {
           post r passing r { task t after e { skip; } get(t); isolated { n = n + 1; } }
           post s passing r { post r { await r; } ewait r; }
         }
         satisfy e;
         ewait s; await s; await r;
         assert n == 20;",
    );
}
