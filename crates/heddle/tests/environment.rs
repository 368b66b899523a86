//! Every setting can come from the environment, and a value that makes no sense is refused in one line.
//!
//! Variables belong to a whole process, so each case runs this program again as a process of its own.

use heddle::{Mutex, Shared, SharedVec, check, finish, isolated, join};
use heddle_report::replayed::{self, Replayed, Touched};
use std::process::{Command, Output};

const CHILD: &str = "HEDDLE_TEST_CHILD";

fn main() {
    match std::env::var(CHILD) {
        Ok(program) => child(&program),
        Err(_) => {
            what_is_set_is_done();
            an_order_is_used_or_refused();
            what_is_empty_counts_as_not_set();
            what_makes_no_sense_is_refused_in_one_line();
            both_orders_of_a_race_can_be_run();
            two_tasks_of_one_place_can_change_places();
            what_cannot_be_run_in_order_says_why();
        }
    }
}

/// The checked programs.
fn child(program: &str) {
    match program {
        "where" => {
            let here = std::thread::current().id();
            check(|| println!("{}", std::thread::current().id() == here));
        }
        "races" => {
            let v = SharedVec::new(1, 0);
            let report = check(|| {
                finish(|s| {
                    s.spawn(|_| v.set(0, 1));
                    s.spawn(|_| v.set(0, 2));
                    s.spawn(|_| v.set(0, 3));
                });
            });
            println!("{}", report.races().count());
        }
        "possible" => {
            let (ready, x) = (Mutex::new(false), Shared::new(0));
            let first = || {
                x.set(1);
                *ready.lock().unwrap() = true;
            };
            let second = || ready.lock().unwrap().then(|| x.get());
            let report = check(|| {
                join(first, second);
            });
            println!("{}", report.is_clean());
        }
        "torn" => {
            let (declared, other) = (Shared::new(0).atomic(), Shared::new(0));
            let update = |x: &Shared<i32>| {
                let seen = isolated(|| x.get());
                isolated(|| x.set(seen + 1));
            };
            let both = || [&declared, &other].map(update);
            let report = check(|| {
                join(both, both);
            });
            println!("{}", report.torn().count());
        }
        "order" => {
            let x = Shared::new(0).named("x");
            let report = check(|| {
                finish(|s| {
                    s.spawn(|_| x.set(5));
                    s.spawn(|_| assert_ne!(x.get(), 7));
                });
            });
            say_where(&report);
        }
        "twins" => {
            let v = SharedVec::new(3, 0u8).named("v");
            let report = check(|| {
                finish(|s| {
                    for _ in 0..2 {
                        s.spawn(|_| v.add(1, 4));
                    }
                });
            });
            say_where(&report);
        }
        "thread" => {
            let x = Shared::new(0).named("x");
            let report = check(|| {
                let (sender, receiver) = heddle::sync::mpsc::channel();
                finish(|s| {
                    s.spawn(|_| x.set(1));
                    s.spawn(|_| x.set(2));
                    sender.send(3).unwrap();
                });
                receiver.recv().unwrap();
            });
            say_where(&report);
        }
        "future" => println!("{}", check(|| finish(|s| s.future(|| ()).get())).is_clean()),
        _ => unreachable!("no program {program}"),
    }
}

/// Prints the positions of the first race.
fn say_where(report: &heddle::Report) {
    if let Some(race) = report.races().next() {
        let places = race.accesses.iter().flat_map(|access| &access.position);
        let places: Vec<_> = places
            .map(|at| format!("{}:{at}", at.file.path()))
            .collect();
        println!("{}", places.join(" "));
    }
}

/// What the program does with the first access of its first race first, and with the second one.
fn in_both_orders(program: &str) -> [Replayed; 2] {
    let at = says(program, &[]);
    let name = format!("heddle-{program}-{}", std::process::id());
    ["1", "2"].map(|order| {
        let to = std::env::temp_dir().join(format!("{name}-{order}"));
        let asked = format!("{order} {at}");
        let output = run(
            program,
            &[
                ("HEDDLE_WITNESS", &asked),
                ("HEDDLE_WITNESS_TO", to.to_str().expect("a path")),
            ],
        );
        let text = std::fs::read_to_string(&to);
        let text = text.unwrap_or_else(|error| panic!("{error}: {output:?}"));
        let _ = std::fs::remove_file(&to);
        let mut runs = replayed::read(&text);
        assert_eq!(runs.len(), 1, "{text}");
        runs.remove(0)
    })
}

fn told(run: &Replayed) -> Vec<String> {
    let verb = |touch: &Touched| if touch.is_write { "sets" } else { "reads" };
    let touches = run.touches.iter();
    touches
        .map(|touch| format!("{} {} {}", verb(touch), touch.location, touch.value))
        .collect()
}

fn both_orders_of_a_race_can_be_run() {
    let [one, other] = in_both_orders("order");
    assert_eq!(told(&one), ["sets x 5", "reads x 5"]);
    assert_eq!(told(&other), ["reads x 0", "sets x 5"]);
    assert_eq!([&one.shown, &other.shown], [&["x"], &["x"]]);
    assert_eq!(one.touches[0].who, other.touches[1].who);
}

fn two_tasks_of_one_place_can_change_places() {
    let [one, other] = in_both_orders("twins");
    let in_turn = ["reads v[1] 0", "sets v[1] 4", "reads v[1] 4", "sets v[1] 8"];
    assert_eq!(told(&one), in_turn);
    // The one that came second comes first, and goes on when the other one has read, too: an update is lost.
    let lost = ["reads v[1] 0", "reads v[1] 0", "sets v[1] 4", "sets v[1] 4"];
    assert_eq!(told(&other), lost);
    assert_eq!([&one.shown, &other.shown], [&["v[1]"], &["v[1]"]]);
    let who = |run: &Replayed, at: usize| run.touches[at].who.clone();
    let (first, second) = (who(&one, 0), who(&one, 2));
    assert!(first.starts_with("task 1 of those spawned at "), "{first}");
    assert_eq!([0, 1].map(|at| who(&other, at)), [second, first]);
}

fn what_cannot_be_run_in_order_says_why() {
    let [one, _] = in_both_orders("thread");
    let why = one.stopped.unwrap_or_default();
    assert!(why.contains("channel"), "{why}");
}

fn run(program: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("HEDDLE_") {
            command.env_remove(name);
        }
    }
    command.env(CHILD, program).envs(variables.iter().copied());
    command.output().expect("a process")
}

/// What the program says under these variables.
#[track_caller]
fn says(program: &str, variables: &[(&str, &str)]) -> String {
    let output = run(program, variables);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// The line in which it complains of them.
#[track_caller]
fn complains(program: &str, variables: &[(&str, &str)]) -> String {
    let output = run(program, variables);
    assert!(!output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text
        .lines()
        .find(|line| line.contains("HEDDLE_") || line.contains("Order::"));
    line.unwrap_or_else(|| panic!("no complaint in {text}"))
        .to_owned()
}

fn what_is_set_is_done() {
    assert_eq!(says("where", &[]), "true");
    assert_eq!(says("where", &[("HEDDLE_PARALLEL", "0")]), "true");
    assert_eq!(says("where", &[("HEDDLE_PARALLEL", "2")]), "false");
    assert_eq!(says("races", &[]), "3");
    assert_eq!(says("races", &[("HEDDLE_MAX_FINDINGS", "1")]), "1");
    assert_eq!(says("races", &[("HEDDLE_ANALYSES", "races")]), "3");
    assert_eq!(says("torn", &[]), "1");
    assert_eq!(says("torn", &[("HEDDLE_ANALYSES", "races")]), "0");
    assert_eq!(says("torn", &[("HEDDLE_ANALYSES", "atomicity")]), "1");
    assert_eq!(says("torn", &[("HEDDLE_ATOMIC", "declared")]), "1");
    assert_eq!(says("torn", &[("HEDDLE_ATOMIC", "all")]), "2");
    assert_eq!(says("possible", &[]), "true");
    assert_eq!(says("possible", &[("HEDDLE_STRICT", "0")]), "true");
    assert_eq!(says("possible", &[("HEDDLE_STRICT", "1")]), "false");
}

fn an_order_is_used_or_refused() {
    for order in ["auto", "bags", "tree", "graph"] {
        assert_eq!(
            says("races", &[("HEDDLE_ORDER", order)]).len(),
            1,
            "{order}"
        );
    }
    assert_eq!(says("future", &[("HEDDLE_ORDER", "graph")]), "true");
    let refused = complains("future", &[("HEDDLE_ORDER", "bags")]);
    assert!(
        refused.contains("Order::Bags cannot judge futures"),
        "{refused}"
    );
    let both = [("HEDDLE_ORDER", "graph"), ("HEDDLE_PARALLEL", "2")];
    let refused = complains("races", &both);
    assert!(
        refused.contains("Order::Graph can judge serial runs only"),
        "{refused}"
    );
}

fn what_is_empty_counts_as_not_set() {
    let names = [
        "ORDER",
        "PARALLEL",
        "ANALYSES",
        "ATOMIC",
        "MAX_FINDINGS",
        "STRICT",
    ];
    let names = names.map(|name| format!("HEDDLE_{name}"));
    let empty: Vec<_> = names.iter().map(|name| (name.as_str(), "")).collect();
    assert_eq!(says("races", &empty), "3");
}

fn what_makes_no_sense_is_refused_in_one_line() {
    let wrong = [
        ("HEDDLE_ORDER", "Bags", "not one of auto, bags, tree, graph"),
        ("HEDDLE_PARALLEL", "two", "not a number"),
        ("HEDDLE_PARALLEL", "-1", "not a number"),
        (
            "HEDDLE_ANALYSES",
            "deadlocks",
            "not a list of names like `races,atomicity`",
        ),
        ("HEDDLE_ATOMIC", "some", "neither declared nor all"),
        ("HEDDLE_MAX_FINDINGS", "1.5", "not a number"),
        ("HEDDLE_STRICT", "yes", "neither 0 nor 1"),
    ];
    for (name, value, problem) in wrong {
        let line = complains("races", &[(name, value)]);
        assert_eq!(line, format!("{name}={value}: {problem}"));
    }
}
