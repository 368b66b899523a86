//! Torn regions: three accesses, the schedule that tears them, what to do.

use crate::scene::{Scene, access, element, scalar};
use heddle_core::{
    AccessKind::{Read, Write},
    Certainty, Finding, FinishKind, GroupId, LockId, Place, TaskId, TaskKind, Why,
};
use heddle_report::{Kind, Verdict, text};

const SOURCE: &str = "\
finish {
  async T2 { with L { a = x; } with L { x = 1; } }
  async T3 { with L { x = 2; } }
}
";

struct Told {
    scene: Scene,
    lock: LockId,
    tasks: [TaskId; 2],
    why: Why,
}

fn told() -> Told {
    let mut scene = Scene::new(SOURCE);
    let lock = scene.lock("L");
    let finish = scene.site("finish", 6);
    let finish = scene.finish(FinishKind::Finish, TaskId::MAIN, finish);
    let tasks = ["async T2", "async T3"].map(|text| {
        let site = scene.site(text, 8);
        scene.task(
            TaskKind::Async,
            Some(&text[6..]),
            TaskId::MAIN,
            finish,
            site,
        )
    });
    let why = Why {
        ancestor: TaskId::MAIN,
        spawned: tasks[0],
        finish,
        side: 0,
    };
    Told {
        scene,
        lock,
        tasks,
        why,
    }
}

impl Told {
    fn tear(&mut self, certainty: Certainty, places: Vec<Place>, locks: [&[LockId]; 3], rank: u8) {
        let [t2, t3] = self.tasks;
        let sites = ["x; }", "x = 2", "x = 1"].map(|text| self.scene.site(text, 1));
        let accesses = [
            access(Read, sites[0], t2, locks[0]),
            access(Write, sites[1], t3, locks[1]),
            access(Write, sites[2], t2, locks[2]),
        ];
        self.scene.outcome.findings.push(Finding::Atomicity {
            certainty,
            group: (places.len() > 1).then_some(GroupId::new(0)),
            touched: [places[0]; 3],
            places,
            accesses,
            why: self.why,
            count: 1,
            rank,
        });
    }

    fn text(&self) -> String {
        text::render(&self.scene.report(), text::Colour::Plain)
    }
}

#[test]
fn the_text_shows_the_three_accesses_and_the_schedule_that_tears() {
    let mut told = told();
    let x = scalar(told.scene.name("x"));
    let lock = [told.lock];
    told.tear(Certainty::Certain, vec![x], [&lock; 3], 0);
    let expected = "\
atomicity: x can be written by task T3 between a read and a write by task T2
 --> a.task:2:27
  |
2 |   async T2 { with L { a = x; } with L { x = 1; } }
  |                           ^             ^ written by task T2 holding L
  |                           |
  |                           read by task T2 holding L
3 |   async T3 { with L { x = 2; } }
  |                       ^ written by task T3 holding L
  |
  = task T2: spawned at 2:3 by main
  = task T3: spawned at 3:3 by main
  = schedule: 1. task T2 reads x at 2:27 holding L, then gives L back
              2. task T3 writes x at 3:23 holding L
              3. task T2 writes x at 2:41 holding L
  = parallel: task T2 is spawned at 2:3 and nothing joins it until the finish at 1:1 ends,
              task T3 is spawned at 3:3 before that
  = help: hold L without a break from the read at 2:27 to the write at 2:41

a.task: 1 atomicity violation
guarantee: all schedules of this input
";
    assert_eq!(told.text(), expected);
}

#[test]
fn the_help_names_who_lacks_the_lock() {
    let mut held = told();
    let (x, lock) = (scalar(held.scene.name("x")), [held.lock]);
    held.tear(Certainty::Certain, vec![x], [&lock, &[], &lock], 0);
    let help = "hold L without a break from the read at 2:27 to the write at 2:41, and at the write at 3:23 too";
    assert!(held.text().contains(help), "{}", held.text());
    let mut free = told();
    let x = scalar(free.scene.name("x"));
    free.tear(Certainty::Certain, vec![x], [&[]; 3], 0);
    let help = "hold one lock without a break from the read at 2:27";
    assert!(free.text().contains(help), "{}", free.text());
}

#[test]
fn a_group_is_called_by_its_members() {
    let mut told = told();
    let places = ["x", "y"].map(|name| scalar(told.scene.name(name)));
    told.tear(Certainty::Certain, places.to_vec(), [&[]; 3], 0);
    let report = told.scene.report();
    assert_eq!(report.findings[0].location.as_deref(), Some("x,y"));
    assert_eq!(report.findings[0].kind, Kind::Atomicity);
}

#[test]
fn elements_torn_at_the_same_positions_are_one_paragraph() {
    let mut told = told();
    let a = told.scene.name("A");
    for index in 0..5 {
        told.tear(Certainty::Certain, vec![element(a, index)], [&[]; 3], 0);
    }
    let text = told.text();
    assert!(
        text.contains("atomicity: A[0], A[1], A[2] and 2 more can be written"),
        "{text}"
    );
    assert!(text.contains("a.task: 1 atomicity violation\n"), "{text}");
}

#[test]
fn a_possible_one_is_a_warning_and_leaves_the_verdict_clean() {
    let mut told = told();
    let (x, lock) = (scalar(told.scene.name("x")), [told.lock]);
    told.tear(Certainty::Possible, vec![x], [&lock; 3], 0);
    assert_eq!(told.scene.report().verdict, Verdict::Clean);
    let text = told.text();
    assert!(
        text.starts_with("warning: possible atomicity violation: x can be written"),
        "{text}"
    );
    assert!(text.contains("1 possible atomicity violation\n"), "{text}");
}

#[test]
fn guesses_come_in_the_sequence_of_their_rank() {
    let mut told = told();
    let names = ["x", "y", "z"].map(|name| scalar(told.scene.name(name)));
    for (name, rank) in names.into_iter().zip([5, 0, 1]) {
        told.tear(Certainty::Certain, vec![name], [&[]; 3], rank);
    }
    let report = told.scene.report();
    let locations = report.findings.iter().map(|f| f.location.as_deref());
    let locations: Vec<_> = locations.map(Option::unwrap_or_default).collect();
    assert_eq!(locations, ["y", "z", "x"]);
}

#[test]
fn json_has_the_accesses_in_the_sequence_that_tears_and_the_schedule() {
    let mut told = told();
    let (x, lock) = (scalar(told.scene.name("x")), [told.lock]);
    told.tear(Certainty::Certain, vec![x], [&lock; 3], 0);
    let json = serde_json::to_value(told.scene.report()).expect("a report is plain data");
    let finding = &json["findings"][0];
    assert_eq!(finding["kind"], "atomicity");
    let operations = [0, 1, 2].map(|n| finding["accesses"][n]["operation"].clone());
    assert_eq!(operations, ["read", "write", "write"]);
    assert_eq!(finding["accesses"][1]["locks"][0], "L");
    let steps = finding["schedule"].as_array().map(Vec::len);
    assert_eq!(steps, Some(3));
    assert!(finding["rank"].is_null(), "declared: no guess");
}
