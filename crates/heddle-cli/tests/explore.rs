//! `heddle explore` and `heddle merge` as a user runs them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn heddle(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.args(arguments).output().expect("heddle starts")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("explore-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn program(folder: &Path, source: &str) -> String {
    let path = folder.join("program.task");
    std::fs::write(&path, source).expect("a file");
    path.display().to_string()
}

const COUNTER: &str = "shared n;
finish { for i in 0..6 { async { isolated { n = n + 1; } } } }
assert n == 6;
";

/// Two updates can get lost, in some of the schedules only.
const LOST: &str = "shared n;
finish {
  for i in 0..3 { async { let a = 0; isolated { a = n; } isolated { n = a + 1; } } }
}
assert n == 3;
";

fn examples() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let files = std::fs::read_dir(folder).expect("the examples");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.retain(|file| {
        let is_program = file.extension().is_some_and(|ending| ending == "task");
        is_program
            && std::fs::read_to_string(file)
                .expect("text")
                .contains("// explore:")
    });
    files.sort();
    files
        .iter()
        .map(|file| file.display().to_string())
        .collect()
}

#[test]
fn every_reduction_finds_what_the_examples_say() {
    let examples = examples();
    assert!(examples.len() >= 28, "{examples:?}");
    for reduction in ["auto", "states"] {
        let mut arguments = vec!["explore", "--expect", "--reduction", reduction];
        arguments.extend(examples.iter().map(String::as_str));
        let output = heddle(&arguments);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{reduction}: {}",
            text(&output)
        );
    }
}

#[test]
fn ten_counting_tasks_have_no_more_states_than_sets_of_tasks() {
    let counter = examples();
    let counter = counter.iter().find(|file| file.contains("integer-counter"));
    let output = heddle(&[
        "explore",
        "--reduction",
        "states",
        counter.expect("an example"),
    ]);
    assert!(text(&output).contains(" 1 024 states"), "{}", text(&output));
}

#[test]
fn the_printed_command_shows_the_finding_again() {
    let file = program(&folder("replay"), LOST);
    let found = text(&heddle(&["explore", &file]));
    let line = found
        .lines()
        .find(|line| line.contains("= replay: heddle "));
    let command = line
        .expect("a command")
        .split("heddle ")
        .nth(1)
        .expect("its words");
    let words: Vec<&str> = command.split_whitespace().collect();
    let output = heddle(&words);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).starts_with("schedule "), "{}", text(&output));
    assert!(
        text(&output).contains("1 failed assertion"),
        "{}",
        text(&output)
    );
}

#[test]
fn a_schedule_that_cannot_be_followed_is_an_error() {
    let file = program(&folder("diverged"), COUNTER);
    for schedule in ["0:99", "99:1", "x"] {
        let output = heddle(&["explore", &file, "--replay", schedule]);
        assert_eq!(output.status.code(), Some(2), "{schedule}");
    }
}

#[test]
fn the_parts_add_up_to_the_whole() {
    let folder = folder("shards");
    for (source, verdict) in [(COUNTER, Some(0)), (LOST, Some(1))] {
        let file = program(&folder, source);
        for reduction in ["none", "dpor", "states"] {
            let mut parts = Vec::new();
            for part in ["1/3", "2/3", "3/3"] {
                let arguments = [
                    "explore",
                    &file,
                    "--reduction",
                    reduction,
                    "--format",
                    "json",
                ];
                let mut arguments = arguments.to_vec();
                arguments.extend(["--shard", part]);
                let path = folder.join(format!("{}.json", &part[..1]));
                std::fs::write(&path, heddle(&arguments).stdout).expect("a result");
                parts.push(path.display().to_string());
            }
            let mut arguments = vec!["merge"];
            arguments.extend(parts.iter().map(String::as_str));
            let merged = heddle(&arguments);
            assert_eq!(merged.status.code(), verdict, "{}", text(&merged));
            assert!(
                text(&merged).contains("all schedules, explored"),
                "{}",
                text(&merged)
            );
            let some = heddle(&["merge", &parts[0], &parts[2]]);
            assert!(
                text(&some).contains("missing: shard 2/3"),
                "{}",
                text(&some)
            );
            assert!(text(&some).contains(", not all"), "{}", text(&some));
        }
    }
}

#[test]
fn a_checkpoint_is_taken_up_again() {
    let folder = folder("checkpoint");
    let file = program(&folder, COUNTER);
    let kept = folder.join("kept").display().to_string();
    for reduction in ["none", "dpor"] {
        let _ = std::fs::remove_file(&kept);
        let whole = [
            "explore",
            &file,
            "--reduction",
            reduction,
            "--checkpoint",
            &kept,
        ];
        let mut first = whole.to_vec();
        first.extend(["--max-schedules", "100"]);
        assert!(text(&heddle(&first)).contains("not all"));
        let last = text(&heddle(&whole));
        assert!(last.contains("explored: 720 schedules"), "{last}");
        assert!(last.contains("all schedules, explored"), "{last}");
    }
    let other = program(&folder, LOST);
    let refused = heddle(&[
        "explore",
        &other,
        "--reduction",
        "dpor",
        "--checkpoint",
        &kept,
    ]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn several_threads_say_the_same() {
    let file = program(&folder("jobs"), LOST);
    for reduction in ["none", "dpor", "states"] {
        let one = text(&heddle(&["explore", &file, "--reduction", reduction]));
        let two = text(&heddle(&[
            "explore",
            &file,
            "--reduction",
            reduction,
            "--jobs",
            "2",
        ]));
        let findings = |text: &str| text.split("explored:").next().map(str::to_owned);
        assert_eq!(findings(&one), findings(&two), "{reduction}");
    }
}

#[test]
fn a_loop_that_waits_for_another_task_comes_to_an_end() {
    let source = "shared flag;
finish {
  async { let f = 0; while (f == 0) { isolated { f = flag; } } }
  async { isolated { flag = 1; } }
}
";
    let output = heddle(&["explore", &program(&folder("spin"), source)]);
    assert!(
        text(&output).contains("all schedules, explored"),
        "{}",
        text(&output)
    );
}

/// The schedule of the race goes on with a task that waits for ever.
#[test]
fn a_schedule_that_never_ends_is_shown_as_far_as_it_goes() {
    let source = "shared z, x;
async { let a = 0; while (a != 1) { isolated { a = z; } } }
async { isolated { read z; } x = 2; }
isolated { z = 1; }
x = 1;
";
    let file = program(&folder("waits"), source);
    for reduction in ["states", "auto"] {
        let output = heddle(&["explore", "--reduction", reduction, &file]);
        assert!(text(&output).contains("race: x"), "{}", text(&output));
    }
    let output = heddle(&["explore", "--replay", "-", &file]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

#[test]
fn a_bound_that_is_not_reached_ends_nothing() {
    // More choices than the first round of `auto` has, and fewer schedules than the bound.
    let source = "shared x, y, z;
finish { for i in 0..9 { async { isolated { x = x + 1; } isolated { y = y * 2 + 1; } } } }
";
    let file = program(&folder("bound"), source);
    let output = heddle(&["explore", "--max-schedules", "1000000", &file]);
    assert!(
        text(&output).contains("all schedules, explored"),
        "{}",
        text(&output)
    );
}

#[test]
fn an_endless_loop_is_cut_when_the_time_is_over() {
    let source = "shared x;
async { isolated { x = 1; } }
while (1) { skip; }
";
    let file = program(&folder("endless"), source);
    let output = heddle(&["explore", &file, "--max-time", "1s"]);
    assert!(text(&output).contains("not all"), "{}", text(&output));
}

#[test]
fn a_program_that_never_ends_is_not_called_explored() {
    let folder = folder("never");
    let endless = "shared f;
finish { async { let w = 0; while (w == 0) { isolated { w = f; } } } }
";
    let output = heddle(&["explore", &program(&folder, endless)]);
    assert!(
        text(&output).contains("0 schedules, not all"),
        "{}",
        text(&output)
    );
}

/// The verdict of `heddle check` on deadlocks, and of `heddle explore`, with its text.
fn deadlocks(name: &str, source: &str) -> (bool, bool, String) {
    let folder = folder(name);
    let program = program(&folder, source);
    let checked = text(&heddle(&["check", &program]));
    let explored = heddle(&["explore", &program]);
    assert!(explored.status.code().is_some_and(|code| code < 2));
    let explored = text(&explored);
    assert!(explored.contains("all schedules, explored"), "{explored}");
    let found = explored.lines().any(|line| line.starts_with("deadlock"));
    (checked.contains("possible deadlock"), found, explored)
}

#[test]
fn a_possible_deadlock_is_confirmed_with_its_schedule() {
    let crossed = "lock L, M;
finish { async { with L { with M { skip; } } } async { with M { with L { skip; } } } }
";
    let (possible, found, text) = deadlocks("crossed", crossed);
    assert!(possible && found, "{text}");
    assert!(text.contains("--replay"), "{text}");
    let philosophers = "lock A, B, C;
finish {
  async { with A { with B { skip; } } }
  async { with B { with C { skip; } } }
  async { with C { with A { skip; } } }
}
";
    let (possible, found, text) = deadlocks("philosophers", philosophers);
    assert!(possible && found, "{text}");
    let left_handed = philosophers.replace("with C { with A", "with A { with C");
    let (possible, found, text) = deadlocks("left-handed", &left_handed);
    assert!(!possible && !found, "{text}");
}

#[test]
fn a_gate_lock_is_no_deadlock() {
    let gated = "lock G, L, M;
finish {
  async { with G { with L { with M { skip; } } } }
  async { with G { with M { with L { skip; } } } }
}
";
    let (possible, found, text) = deadlocks("gated", gated);
    assert!(!possible && !found, "{text}");
}

#[test]
fn a_possible_deadlock_that_no_schedule_has_is_refuted() {
    // The second task takes the locks crosswise only when the first is done with them.
    let handed = "shared done;
lock L, M;
finish {
  async { with L { with M { skip; } } isolated { done = 1; } }
  async { let d = 0; isolated { d = done; } if (d == 1) { with M { with L { skip; } } } }
}
";
    let (possible, found, text) = deadlocks("handed", handed);
    assert!(possible && !found, "{text}");
    let settled = "settled: the deadlock on L and M that heddle check calls possible cannot happen";
    assert!(text.contains(settled), "{text}");
    // Taken in any case, they are taken before the first is done with them, too.
    let always = handed.replace("if (d == 1)", "if (d < 2)");
    let (possible, found, text) = deadlocks("always", &always);
    assert!(possible && found && !text.contains("settled"), "{text}");
}

#[test]
fn a_possible_race_is_confirmed_or_refuted() {
    let races = |name: &str, source: &str| {
        let file = program(&folder(name), source);
        let checked = text(&heddle(&["check", &file]));
        assert!(checked.contains("possible race: x"), "{checked}");
        let explored = text(&heddle(&["explore", &file]));
        assert!(explored.contains("all schedules, explored"), "{explored}");
        explored
    };
    let handed = "shared t, x;
finish {
  async { x = 1; isolated { t = 1; } }
  async { let a = 0; isolated { a = t; } if (a == 1) { x = 2; } }
}
";
    let refuted = races("refuted", handed);
    assert!(
        refuted.contains("settled: the race on x that heddle check calls possible cannot happen"),
        "{refuted}"
    );
    assert!(refuted.contains("clean"), "{refuted}");
    let confirmed = races("confirmed", &handed.replace("if (a == 1)", "if (a < 2)"));
    assert!(!confirmed.contains("settled"), "{confirmed}");
    assert!(
        confirmed.contains("race: x") && confirmed.contains("--replay"),
        "{confirmed}"
    );
}

#[test]
fn waiting_for_a_value_while_holding_what_it_needs_is_a_deadlock() {
    let held = "lock L;
acquire L;
future f { with L { skip; } return 1; }
let v = get(f);
release L;
";
    let (_, found, text) = deadlocks("held", held);
    assert!(found, "{text}");
    let released = held.replace("let v = get(f);\nrelease L;", "release L;\nlet v = get(f);");
    let (_, found, text) = deadlocks("released", &released);
    assert!(!found, "{text}");
}

#[test]
fn a_native_program_that_is_not_there_is_an_error() {
    let output = heddle(&["explore", "--", "./no-such-program"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_program_with_cuts_is_refused_and_the_command_that_checks_it_is_named() {
    let folder = folder("cuts");
    let path = program(
        &folder,
        "shared x;\nasync { read x; cut; write x; }\nwrite x;\n",
    );
    let output = heddle(&["explore", &path]);
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("a program with cuts is not explored"),
        "{errors}"
    );
    assert!(errors.contains(&format!("heddle check {path}")), "{errors}");
}
