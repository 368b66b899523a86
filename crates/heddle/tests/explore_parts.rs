//! Explorations in parts: shares of several processes, what is kept in a file, Ctrl-C.

use heddle::{Explorer, Mutex, Reduction, Shared, finish, isolated, join};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Tasks that lose an update if they come in between each other.
fn lossy(tasks: usize) {
    let count = Shared::new(0);
    finish(|s| {
        for _ in 0..tasks {
            s.spawn(|_| {
                let seen = isolated(|| count.get());
                isolated(|| count.set(seen + 1));
            });
        }
    });
    assert_eq!(count.get(), tasks as i32);
}

/// Tasks that count, in every order.
fn counting(tasks: usize) {
    let count = Shared::new(0);
    finish(|s| (0..tasks).for_each(|_| s.spawn(|_| isolated(|| count.add(1)))));
    assert_eq!(count.get(), tasks as i32);
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("parts-{name}"));
    // It is not there at the first run.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the build folder is writable");
    folder
}

/// A test of this file, to be run in a process of its own.
fn alone(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a test"));
    command.args(["--exact", test, "--nocapture"]);
    command.env("HEDDLE_TEST_ALONE", test);
    command
}

fn is_alone(test: &str) -> bool {
    std::env::var("HEDDLE_TEST_ALONE").is_ok_and(|name| name == test)
}

fn text(output: &Output) -> String {
    let bytes = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn the_parts_add_up_to_the_whole() {
    for reduction in [Reduction::None, Reduction::Dpor, Reduction::States] {
        let explorer = Explorer::new().reduction(reduction);
        let whole = explorer.explore(|| lossy(3));
        let parts: Vec<_> = (1..=4)
            .map(|index| explorer.clone().shard(index, 4).explore(|| lossy(3)))
            .collect();
        let sum: u64 = parts.iter().map(|part| part.schedules()).sum();
        match reduction {
            Reduction::None => assert_eq!(sum, whole.schedules()),
            _ => assert!(sum >= whole.schedules()),
        }
        assert!(parts.iter().any(|part| !part.is_clean()), "{reduction:?}");
        for part in &parts {
            assert!(part.is_complete());
            assert!(part.to_string().contains("not all"), "{part}");
        }
    }
}

/// Does nothing by itself; the next test runs it.
#[test]
fn a_part_given_by_the_environment() {
    if is_alone("a_part_given_by_the_environment") {
        Explorer::new()
            .reduction(Reduction::None)
            .explore(|| lossy(2));
    }
}

#[test]
fn parts_named_by_the_environment_leave_results_that_can_be_merged() {
    let folder = folder("environment");
    for part in ["1/2", "2/2"] {
        let mut command = alone("a_part_given_by_the_environment");
        command.env("HEDDLE_SHARD", part);
        let output = command.env("HEDDLE_RESULTS", &folder).output();
        let output = output.expect("the test starts");
        assert!(output.status.success(), "{}", text(&output));
    }
    let mut schedules = 0;
    let mut found = 0;
    for file in std::fs::read_dir(&folder).expect("the folder") {
        let path = file.expect("a file").path();
        let json = std::fs::read_to_string(&path).expect("a result");
        let number = |name: &str| {
            let (_, rest) = json.split_once(&format!("\"{name}\":")).expect("a number");
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            digits.parse::<u64>().expect("digits")
        };
        assert_eq!(number("schema"), 1);
        assert!(json.contains("/2\""), "{json}");
        schedules += number("schedules");
        found += json.matches("HEDDLE_REPLAY=").count();
    }
    assert_eq!(schedules, 6);
    assert!(found >= 1);
    let mut command = alone("a_part_given_by_the_environment");
    let output = command.env("HEDDLE_SHARD", "3/2").output();
    let output = output.expect("the test starts");
    assert!(
        text(&output).contains("'3/2' is no part"),
        "{}",
        text(&output)
    );
}

#[test]
fn what_is_done_is_not_done_again() {
    let file = folder("resumed").join("checkpoint");
    let explorer = Explorer::new().reduction(Reduction::None).checkpoint(&file);
    let mut rounds = 0;
    let last = loop {
        rounds += 1;
        let part = explorer.clone().max_schedules(60).explore(|| lossy(3));
        if part.is_complete() {
            break part;
        }
        assert!(rounds < 10, "it gets nowhere");
    };
    assert!(rounds > 1);
    let whole = Explorer::new()
        .reduction(Reduction::None)
        .explore(|| lossy(3));
    assert_eq!(last.schedules(), whole.schedules());
    assert_eq!(last.findings().len(), whole.findings().len());
}

#[test]
fn a_checkpoint_of_a_program_that_tries_locks_is_taken_up() {
    let file = folder("tried").join("checkpoint");
    let body = || {
        let (lock, got) = (Mutex::new(0), Shared::new(0));
        join(
            || *lock.lock().unwrap() += 1,
            || {
                if let Ok(mut inside) = lock.try_lock() {
                    *inside += 1;
                    got.set(1);
                }
            },
        );
        assert_eq!(got.get(), 1);
    };
    let explorer = Explorer::new().reduction(Reduction::None).checkpoint(&file);
    let first = explorer.explore(body);
    let again = explorer.explore(body);
    assert!(first.is_complete() && !first.is_clean(), "{first}");
    assert_eq!(first.schedules(), again.schedules());
    assert_eq!(first.findings().len(), again.findings().len());
}

#[test]
#[should_panic(expected = "a checkpoint of another program or of other settings")]
fn a_checkpoint_of_something_else_is_refused() {
    let file = folder("other").join("checkpoint");
    Explorer::new().checkpoint(&file).explore(|| counting(2));
    Explorer::new().checkpoint(&file).explore(|| lossy(2));
}

/// Does nothing by itself; the next test runs it.
#[test]
fn a_long_exploration() {
    if is_alone("a_long_exploration") {
        eprintln!("begins");
        let explorer = Explorer::new().reduction(Reduction::None);
        explorer.explore(|| counting(12)).assert_clean();
        eprintln!("ends");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_says_what_was_covered() {
    use std::io::Read;
    use std::os::unix::process::CommandExt;
    let mut command = alone("a_long_exploration");
    // Whoever started this test in the background may have it ignore interrupts.
    // SAFETY: only a call that may be made between `fork` and `exec`.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            Ok(())
        });
    }
    let mut child = command
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("the test starts");
    let mut stderr = child.stderr.take().expect("a pipe");
    let mut begin = [0; 6];
    stderr.read_exact(&mut begin).expect("it begins");
    std::thread::sleep(std::time::Duration::from_millis(300));
    // SAFETY: sends a signal to a process of ours.
    unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).expect("text");
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(130), "{rest}");
    assert!(rest.contains("schedules, not all"), "{rest}");
    assert!(!rest.contains("ends"), "{rest}");
}
