//! What people read: golden texts of hand-built findings.

use crate::scene::{Scene, access, element, scalar};
use heddle_core::{
    AccessKind::{Read, Write},
    Awaited, Certainty, FaultKind, Finding, FinishId, FinishKind, Guarantee, LockId, TaskId,
    TaskKind, Wait, Why,
};
use heddle_report::{Possible, Settings, text};

const ESCAPING: &str = "\
shared x, y;
finish {
  async T3 { async T4 { x = 1; } y = 1; }
  x = 2;
}
";

fn escaping() -> Scene {
    let mut scene = Scene::new(ESCAPING);
    let x = scene.name("x");
    let (finish, t3, t4) = (
        scene.site("finish", 6),
        scene.site("async T3", 8),
        scene.site("async T4", 8),
    );
    let finish = scene.finish(FinishKind::Finish, TaskId::MAIN, finish);
    let t3 = scene.task(TaskKind::Async, Some("T3"), TaskId::MAIN, finish, t3);
    let t4 = scene.task(TaskKind::Async, Some("T4"), t3, finish, t4);
    let (one, two) = (scene.site("x = 1", 1), scene.site("x = 2", 1));
    let why = Why {
        ancestor: TaskId::MAIN,
        spawned: t3,
        finish,
        side: 0,
    };
    let accesses = [
        access(Write, one, t4, &[]),
        access(Write, two, TaskId::MAIN, &[]),
    ];
    scene.race(scalar(x), accesses, why);
    scene
}

fn shown(scene: &Scene) -> String {
    text::render(&scene.report(), text::Colour::Plain)
}

#[test]
fn a_race_shows_both_accesses_the_spawns_and_why() {
    assert_eq!(
        shown(&escaping()),
        "\
race: x is written by task T4 and by main in parallel
 --> a.task:3:25
  |
3 |   async T3 { async T4 { x = 1; } y = 1; }
  |                         ^ written by task T4
4 |   x = 2;
  |   ^ written by main
  |
  = task T4: spawned at 3:14 by task T3, spawned at 3:3 by main
  = parallel: task T3 is spawned at 3:3 and nothing joins it until the finish at 2:1 ends,
              main makes the write at 4:3 before that
  = witness: main to 3:3, task T3 to 3:14, task T4 to 3:25, main to 4:3
             or main to 4:3, task T3 to 3:14, task T4 to 3:25
  = help: wrap the spawn of task T3 in a finish that ends before the write at 4:3

a.task: 1 race
guarantee: all schedules of this input
"
    );
}

/// Four tasks of one loop write the elements of `B`.
fn looping(elements: u64) -> Scene {
    let mut scene = Scene::new("for i in 0..4 {\n  async { B[j] = i; }\n}\n");
    let b = scene.name("B");
    let (spawn, write) = (scene.site("async", 5), scene.site("B[j]", 4));
    let mut spawn = || scene.task(TaskKind::Async, None, TaskId::MAIN, FinishId::MAIN, spawn);
    let (one, two) = (spawn(), spawn());
    let why = Why {
        ancestor: TaskId::MAIN,
        spawned: one,
        finish: FinishId::MAIN,
        side: 0,
    };
    for index in (0..elements).rev() {
        let accesses = [
            access(Write, write, one, &[]),
            access(Write, write, two, &[]),
        ];
        scene.race(element(b, index), accesses, why);
    }
    scene
}

#[test]
fn races_at_one_pair_of_positions_are_one_report_with_the_locations_listed() {
    assert_eq!(
        shown(&looping(12)),
        "\
race: B[0], B[1], B[2] and 9 more are written in parallel
 --> a.task:2:11
  |
2 |   async { B[j] = i; }
  |           ^^^^ written by task #1 and written by task #2
  |
  = 12 locations; shown for B[0]
  = task #1: spawned at 2:3 by main
  = task #2: spawned at 2:3 by main
  = parallel: task #1 is spawned at 2:3 and nothing joins it until the program ends,
              task #2 is spawned at 2:3 before that
  = witness: main to 2:3, task #1 to 2:11, task #2 to 2:11
             or main to 2:3, task #2 to 2:11, task #1 to 2:11
  = help: give each of these tasks a location of its own

a.task: 1 race
guarantee: all schedules of this input
"
    );
}

#[test]
fn short_lists_of_locations_are_complete() {
    assert!(shown(&looping(2)).starts_with("race: B[0] and B[1] are written"));
    assert!(shown(&looping(3)).starts_with("race: B[0], B[1] and B[2] are written"));
    assert!(shown(&looping(4)).starts_with("race: B[0], B[1], B[2] and 1 more are written"));
}

#[test]
fn the_access_with_the_smaller_position_comes_first_whichever_ran_first() {
    let mut scene = escaping();
    let Finding::Race { accesses, why, .. } = &mut scene.outcome.findings[0] else {
        panic!("a race was put in");
    };
    accesses.swap(0, 1);
    why.side = 1;
    let (swapped, straight) = (shown(&scene), shown(&escaping()));
    let findings = |text: &str| text.split("  = help").next().map(str::to_owned);
    assert_eq!(findings(&swapped), findings(&straight));
}

#[test]
fn equal_names_of_tasks_are_told_apart() {
    let mut scene = looping(1);
    let name = scene.name("W");
    for task in &mut scene.outcome.tasks {
        task.name = Some(name);
    }
    let text = shown(&scene);
    assert!(
        text.contains("B[0] is written by task W#1 and by task W#2"),
        "{text}"
    );
}

#[test]
fn a_lock_held_at_one_side_only_is_named_in_the_help() {
    let mut scene = escaping();
    let lock = scene.lock("L");
    let Finding::Race { accesses, .. } = &mut scene.outcome.findings[0] else {
        panic!("a race was put in");
    };
    accesses[1].locks = vec![lock];
    let text = shown(&scene);
    assert!(text.contains("^ written by main holding L"), "{text}");
    assert!(
        text.contains("help: hold L at the write at 3:25 too"),
        "{text}"
    );
}

#[test]
fn isolated_is_spoken_of_as_a_construct_not_as_a_lock() {
    let mut scene = escaping();
    let Finding::Race { accesses, .. } = &mut scene.outcome.findings[0] else {
        panic!("a race was put in");
    };
    accesses[0].locks = vec![LockId::ISOLATED];
    let text = shown(&scene);
    assert!(text.contains("written by task T4 in isolated"), "{text}");
    assert!(
        text.contains("help: put the write at 4:3 in an isolated body too"),
        "{text}"
    );
}

#[test]
fn different_locks_at_the_two_sides_are_both_named() {
    let mut scene = escaping();
    let (l, m) = (scene.lock("L"), scene.lock("M"));
    let Finding::Race { accesses, .. } = &mut scene.outcome.findings[0] else {
        panic!("a race was put in");
    };
    accesses[0].locks = vec![l];
    accesses[1].locks = vec![m];
    let text = shown(&scene);
    let help = "hold the same lock at both: the write at 3:25 has L, the write at 4:3 has M";
    assert!(text.contains(help), "{text}");
}

#[test]
fn a_possible_race_is_a_warning_that_says_what_it_hangs_on() {
    let mut scene = escaping();
    let Finding::Race { certainty, .. } = &mut scene.outcome.findings[0] else {
        panic!("a race was put in");
    };
    *certainty = Certainty::Possible;
    scene.outcome.guarantee = Guarantee::KeepingAccesses;
    scene.features.isolated = true;
    let line = "warning: possible race: x is written by task T4 and by main in parallel \
                (a.task:3:25, a.task:4:3)\n\na.task: 1 possible race\n";
    assert!(shown(&scene).starts_with(line), "{}", shown(&scene));
    let settings = Settings {
        possible: Possible::Full,
        ..Settings::default()
    };
    let text = text::render(&scene.report_with(settings), text::Colour::Plain);
    assert!(
        text.starts_with("warning: possible race: x is written"),
        "{text}"
    );
    assert!(
        text.contains("one isolated body read what an earlier one wrote"),
        "{text}"
    );
    assert!(text.ends_with(
        "a.task: 1 possible race\n\
         guarantee: all schedules that keep these accesses (not covered: other orders of the isolated bodies; settled by: heddle explore a.task)\n"
    ), "{text}");
}

#[test]
fn help_follows_the_kind_of_task() {
    let cases = [
        (
            TaskKind::Async,
            "wrap the spawn of task F in a finish that ends before the read at 2:1",
        ),
        (TaskKind::Spawn, "sync before the read at 2:1"),
        (
            TaskKind::Future,
            "get the value of task F before the read at 2:1",
        ),
        (
            TaskKind::Post,
            "await the region of task F before the read at 2:1",
        ),
    ];
    for (kind, help) in cases {
        let mut scene = Scene::new("future F { x = 1; }\nread x;\n");
        let x = scene.name("x");
        let (spawn, write, read) = (
            scene.site("future", 8),
            scene.site("x = 1", 1),
            scene.site("read", 6),
        );
        let task = scene.task(kind, Some("F"), TaskId::MAIN, FinishId::MAIN, spawn);
        let accesses = [
            access(Write, write, task, &[]),
            access(Read, read, TaskId::MAIN, &[]),
        ];
        let why = Why {
            ancestor: TaskId::MAIN,
            spawned: task,
            finish: FinishId::MAIN,
            side: 0,
        };
        scene.race(scalar(x), accesses, why);
        let text = shown(&scene);
        assert!(
            text.contains(&format!("help: {help}\n")),
            "{kind:?}: {text}"
        );
    }
}

/// `reader after e { read x }` and `writer { satisfy e; x = 1 }`: the reader ran last although it
/// was spawned first, so it is the one that can wait.
#[test]
fn advice_never_asks_the_earlier_one_to_wait_for_the_later_one() {
    let mut scene = Scene::new("task reader { read x; }\ntask writer { x = 1; }\n");
    let x = scene.name("x");
    let (first, second) = (scene.site("task r", 4), scene.site("task w", 4));
    let (read, write) = (scene.site("x; }", 1), scene.site("x = 1", 1));
    let (main, finish) = (TaskId::MAIN, FinishId::MAIN);
    let reader = scene.task(TaskKind::Dependent, Some("reader"), main, finish, first);
    let writer = scene.task(TaskKind::Dependent, Some("writer"), main, finish, second);
    let accesses = [
        access(Write, write, writer, &[]),
        access(Read, read, reader, &[]),
    ];
    let why = Why {
        ancestor: main,
        spawned: reader,
        finish,
        side: 1,
    };
    scene.race(scalar(x), accesses, why);
    let text = shown(&scene);
    assert!(
        text.contains("help: let task reader start after task writer"),
        "{text}"
    );
}

#[test]
fn a_deadlock_names_every_waiting_task() {
    let mut scene = Scene::new("event e;\ntask A after e { skip; }\n");
    let e = scene.name("e");
    scene.outcome.tokens.push(e);
    let (spawn, mention, end) = (
        scene.site("task A", 6),
        scene.site("e {", 1),
        scene.raw_site(3, 1, 3, 1),
    );
    let a = scene.task(
        TaskKind::Dependent,
        Some("A"),
        TaskId::MAIN,
        FinishId::MAIN,
        spawn,
    );
    let waits = vec![
        Wait {
            task: TaskId::MAIN,
            awaited: Awaited::Finish(FinishId::MAIN),
            site: end,
        },
        Wait {
            task: a,
            awaited: Awaited::Token(heddle_core::TokenId::new(0)),
            site: mention,
        },
    ];
    scene.outcome.findings.push(Finding::Deadlock { waits });
    scene.outcome.guarantee = Guarantee::UpToHere;
    assert_eq!(
        shown(&scene),
        "\
deadlock: 2 tasks wait forever
 --> a.task:2:14
  |
2 | task A after e { skip; }
  |              ^ task A waits for event e
3 |
  | ^ main waits for every task to end
  |
  = help: let a task that can run satisfy event e

a.task: 1 deadlock
guarantee: only the run up to where it stopped
"
    );
}

#[test]
fn an_assertion_says_who_and_how_often() {
    let mut scene = Scene::new("assert n == 3;\n");
    let site = scene.site("assert", 6);
    scene.outcome.findings.push(Finding::Assertion {
        site,
        task: TaskId::MAIN,
        count: 3,
    });
    assert_eq!(
        shown(&scene),
        "\
assertion: the assertion does not hold 3 times, first in main
 --> a.task:1:1
  |
1 | assert n == 3;
  | ^^^^^^ does not hold

a.task: 1 failed assertion
guarantee: all schedules of this input
"
    );
}

#[test]
fn a_clean_program_takes_two_lines() {
    let text = shown(&Scene::new(""));
    assert_eq!(
        text,
        "a.task: clean\nguarantee: all schedules of this input\n"
    );
}

#[test]
fn what_was_not_checked_is_not_called_clean() {
    let mut scene = Scene::new("cut;\n");
    scene.outcome.guarantee = Guarantee::NotChecked;
    assert_eq!(
        shown(&scene),
        "a.task: not checked\nguarantee: nothing: transactions are not checked by this version\n"
    );
}

#[test]
fn a_fault_is_an_error_with_its_position() {
    let mut scene = Scene::new("x = 1 / 0;\n");
    let site = scene.site("1 / 0", 5);
    scene.outcome.fault = Some((site, FaultKind::DivisionByZero));
    scene.outcome.guarantee = Guarantee::UpToHere;
    let report = scene.report();
    assert_eq!(
        text::render_problem(
            &report.error.expect("there is a fault"),
            text::Colour::Plain
        ),
        "\
error: division by zero
 --> a.task:1:5
  |
1 | x = 1 / 0;
  |     ^^^^^
  |
  = the run stopped here; only what ran before was checked
"
    );
}

#[test]
fn the_limit_counts_reports_and_says_what_it_left_out() {
    let mut scene = looping(5);
    let mut other = escaping();
    scene.outcome.findings.append(&mut other.outcome.findings);
    let settings = Settings {
        limit: Some(1),
        ..Settings::default()
    };
    let report = scene.report_with(settings);
    assert_eq!(report.totals.races, 2);
    assert_eq!((report.findings.len(), report.left_out), (1, 1));
    let text = text::render(&report, text::Colour::Plain);
    assert!(text.contains("not shown (--max-findings)"), "{text}");
}

#[test]
fn nothing_from_the_program_reaches_the_terminal_raw() {
    let mut scene = Scene::at_path("e\u{1b}[2J\nvil.task", "x\u{1b}[31m\u{9b} = 1; \u{202e}\n");
    let x = scene.name("x\u{1b}]0;title\u{7}");
    let (one, two) = (scene.raw_site(1, 1, 1, 2), scene.raw_site(1, 3, 1, 9));
    let task = scene.task(
        TaskKind::Async,
        Some("\u{1b}c"),
        TaskId::MAIN,
        FinishId::MAIN,
        one,
    );
    let accesses = [
        access(Write, one, task, &[]),
        access(Write, two, TaskId::MAIN, &[]),
    ];
    let why = Why {
        ancestor: TaskId::MAIN,
        spawned: task,
        finish: FinishId::MAIN,
        side: 0,
    };
    scene.race(scalar(x), accesses, why);
    let text = shown(&scene);
    let raw = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!text.contains(raw), "{text:?}");
}

#[test]
fn ids_that_name_nothing_are_survived() {
    let mut scene = Scene::new("");
    let lost = heddle_core::SiteId::new(77);
    let accesses = [
        access(Read, lost, TaskId::new(9), &[LockId::new(5)]),
        access(Write, lost, TaskId::new(8), &[]),
    ];
    let why = Why {
        ancestor: TaskId::new(7),
        spawned: TaskId::new(6),
        finish: FinishId::new(5),
        side: 9,
    };
    scene.race(element(heddle_core::NameId::new(3), 1), accesses, why);
    let text = shown(&scene);
    assert!(
        text.starts_with("race: ?[1] is read by task #9 and written by task #8"),
        "{text}"
    );
}

#[test]
fn a_huge_line_is_shown_as_an_excerpt() {
    let source = format!(
        "{}x = 1;{}",
        "y = 1; ".repeat(100_000),
        " z = 1;".repeat(100_000)
    );
    let mut scene = Scene::new(&source);
    let site = scene.site("x = 1", 1);
    scene.outcome.findings.push(Finding::Assertion {
        site,
        task: TaskId::MAIN,
        count: 1,
    });
    let text = shown(&scene);
    assert!(text.len() < 1000, "{} bytes", text.len());
    assert!(text.contains("a.task:1:700001"), "{text}");
    assert!(text.contains("y = 1; x = 1; z = 1;"), "{text}");
}

#[test]
fn columns_count_characters_also_behind_wide_ones() {
    let mut scene = Scene::new("\tlet größe = 0; assert größe;\n");
    let site = scene.site("assert", 6);
    scene.outcome.findings.push(Finding::Assertion {
        site,
        task: TaskId::MAIN,
        count: 1,
    });
    let text = shown(&scene);
    let lines: Vec<_> = text.lines().collect();
    let column = |line: &str, c: char| line.chars().position(|found| found == c);
    assert_eq!(column(lines[3], 'a'), column(lines[4], '^'), "{text}");
}

#[test]
fn colour_adds_escapes_and_nothing_else() {
    let report = escaping().report();
    let coloured = text::render(&report, text::Colour::Ansi);
    assert!(coloured.contains('\u{1b}'));
    assert_eq!(strip(&coloured), text::render(&report, text::Colour::Plain));
}

/// The text without its colour sequences.
fn strip(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |plain, piece| {
        plain + piece.split_once('m').map_or("", |(_, rest)| rest)
    })
}
