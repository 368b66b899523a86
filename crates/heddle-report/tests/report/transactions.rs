//! Cuts that can be seen: the two transactions, the schedule, the cycle, how it was decided, what to do.

use crate::scene::{Scene, access, scalar};
use heddle_core::{
    AccessKind::{Read, Write},
    Certainty, Cut, CutBy, Decision, Features, Finding, FinishKind, Guarantee, Moment, Separation,
    Step, TaskId, TaskKind, TransactionCounts,
};
use heddle_report::json::{self, Layout};
use heddle_report::{Kind, Possible, Settings, Strictness, Verdict, text};
use serde_json::Value;

const SOURCE: &str = "\
finish {
  async A { read x; cut; x = 1; }
  async B { x = 2; }
}
";

/// A finding decided so, with its schedule unless it is undecided.
fn scene(decision: Decision) -> Scene {
    let mut scene = Scene::new(SOURCE);
    scene.features = Features {
        cuts: true,
        ..Features::default()
    };
    let finish = scene.site("finish", 6);
    let finish = scene.finish(FinishKind::Finish, TaskId::MAIN, finish);
    let [a, b] = ["A", "B"].map(|name| {
        let site = scene.site(&format!("async {name}"), 7);
        scene.task(TaskKind::Async, Some(name), TaskId::MAIN, finish, site)
    });
    let place = scalar(scene.name("x"));
    let [read, other, write] = [
        ("x; cut", Read, a),
        ("x = 2", Write, b),
        ("x = 1", Write, a),
    ]
    .map(|(text, kind, task)| access(kind, scene.site(text, 1), task, &[]));
    let step = |from: &_, to: &_| Step::Conflict {
        place,
        from: Clone::clone(from),
        to: Clone::clone(to),
    };
    let is_decided = decision != Decision::Undecided;
    let moments = [&read, &other, &write].map(|one| Moment {
        access: one.clone(),
        place,
    });
    let cut = scene.site("cut;", 3);
    let certainty = match decision {
        Decision::Confirmed | Decision::Replayed => Certainty::Certain,
        Decision::Diverged | Decision::Undecided => Certainty::Possible,
    };
    let found = Finding::Transaction(Box::new(Separation {
        certainty,
        decision,
        places: vec![place],
        cycle: vec![step(&read, &other), step(&other, &write)],
        parted: [read, write],
        cuts: vec![Cut {
            site: cut,
            by: CutBy::Hand,
        }],
        schedule: moments.into_iter().filter(|_| is_decided).collect(),
        count: 1,
    }));
    scene.outcome.findings.push(found);
    scene.outcome.guarantee = Guarantee::KeepingAccesses;
    scene.outcome.transactions = Some(TransactionCounts {
        transactions: 3,
        confirmed: u64::from(is_decided),
        undecided: u64::from(!is_decided),
        ..TransactionCounts::default()
    });
    scene
}

#[test]
fn the_text_tells_the_story_from_the_first_transaction_to_the_second() {
    let expected = "\
transaction: task A is not atomic from the read of x at 2:18 to the write of x at 2:26: task B can come between
 --> a.task:2:18
  |
2 |   async A { read x; cut; x = 1; }
  |                  ^  ^^^  ^ written by task A
  |                  |  |
  |                  |  cut
  |                  read by task A
3 |   async B { x = 2; }
  |             ^ written by task B
  |
  = task A: spawned at 2:3 by main
  = task B: spawned at 3:3 by main
  = schedule: 1. task A reads x at 2:18
              2. task B writes x at 3:13
              3. task A writes x at 2:26
  = uncut: task A before task B: the read of x at 2:18 comes before the write of x at 3:13,
           task B before task A: the write of x at 3:13 comes before the write of x at 2:26
  = decided: run under this schedule, the program does what no uncut run does
  = help: if what comes between does harm, take away the cut at 2:21; if not: heddle accept --harmless a.task 2:18 2:26

a.task: 1 visible cut
guarantee: all schedules that keep these accesses (not covered: what the order of conflicting transactions decides)
";
    let report = scene(Decision::Replayed).report();
    assert_eq!(text::render(&report, text::Colour::Plain), expected);
}

#[test]
fn each_decision_is_told_and_only_what_a_schedule_shows_is_certain() {
    for (decision, word, is_certain, told) in [
        (
            Decision::Replayed,
            "replayed",
            true,
            "run under this schedule, the program does what no",
        ),
        (
            Decision::Confirmed,
            "confirmed",
            true,
            "in this schedule the same accesses do what no",
        ),
        (
            Decision::Diverged,
            "diverged",
            false,
            "makes other accesses, and those do no harm",
        ),
        (
            Decision::Undecided,
            "undecided",
            false,
            "could not be decided within the bound",
        ),
    ] {
        let scene = scene(decision);
        let report = scene.report_with(Settings {
            possible: Possible::Full,
            ..Settings::default()
        });
        let text = text::render(&report, text::Colour::Plain);
        assert!(text.contains(told), "{text}");
        let verdict = match is_certain {
            true => Verdict::Findings,
            false => Verdict::Clean,
        };
        assert_eq!(report.verdict, verdict, "{word}");
        assert_eq!(text.starts_with("warning: possibly"), !is_certain, "{text}");
        assert_eq!(report.findings[0].decision, Some(word));
        let strict = scene.report_with(Settings {
            strictness: Strictness::Strict,
            ..Settings::default()
        });
        assert_eq!(strict.verdict, Verdict::Findings, "{word}");
    }
}

#[test]
fn the_json_has_the_schedule_the_cycle_the_cuts_and_the_counts() {
    let report = scene(Decision::Confirmed).report();
    assert_eq!(report.findings[0].kind, Kind::Transaction);
    let mut bytes = Vec::new();
    json::write(&report, Layout::Line, &mut bytes).expect("memory can be written");
    let report: Value = serde_json::from_slice(&bytes).expect("it is JSON");
    let found = &report["findings"][0];
    assert_eq!(found["kind"], "transaction");
    assert_eq!(found["certainty"], "certain");
    assert_eq!(found["location"], "x");
    assert_eq!(found["decision"], "confirmed");
    let columns = |key: &str| -> Vec<u64> {
        let notes = found[key].as_array().into_iter().flatten();
        let columns = notes.map(|note| note["position"]["column"].as_u64());
        columns.flatten().collect()
    };
    assert_eq!(columns("schedule"), [18, 13, 26]);
    assert_eq!(columns("cycle"), [18, 13]);
    assert_eq!(columns("accesses"), [18, 13, 26]);
    assert_eq!(found["cuts"][0]["column"], 21);
    assert_eq!(report["transactions"]["transactions"], 3);
    assert_eq!(report["transactions"]["confirmed"], 1);
}

#[test]
fn a_clean_answer_says_what_was_covered() {
    let mut scene = scene(Decision::Replayed);
    scene.outcome.findings.clear();
    let told = |scene: &Scene| text::render(&scene.report(), text::Colour::Plain);
    assert_eq!(
        told(&scene),
        "a.task: clean: no cut can be seen\n\
         guarantee: all schedules that keep these accesses \
         (not covered: what the order of conflicting transactions decides)\n"
    );
    scene.outcome.guarantee = Guarantee::AllSchedules;
    let all = "a.task: clean: no cut can be seen\nguarantee: all schedules of this input\n";
    assert_eq!(told(&scene), all);
}

#[test]
fn what_a_rule_cut_is_to_be_merged_and_not_taken_away() {
    let mut scene = scene(Decision::Replayed);
    for finding in &mut scene.outcome.findings {
        if let Finding::Transaction(separation) = finding {
            separation.cuts[0].by = CutBy::Rule;
        }
    }
    let report = scene.report();
    let help = report.findings[0].help.as_deref().unwrap_or_default();
    assert_eq!(
        help,
        "if what comes between does harm, join the two transactions, which a rule cuts apart at \
         2:21: heddle accept --merge a.task 2:18 2:26; if not: heddle accept --harmless a.task \
         2:18 2:26"
    );
}
