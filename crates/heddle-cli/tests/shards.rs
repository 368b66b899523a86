//! Parts of an exploration, spread by the batch engines people have: a real Slurm of one node, started here, or where it
//! cannot start, GNU parallel. `cargo xtask setup` installs both.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PARTS: u32 = 4;
/// How long Slurm may take to come up, and a command of it to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Fails in some schedules only.
const PROGRAM: &str = "shared n, x;
finish {
  for i in 0..4 { async { let a = 0; isolated { a = n; } isolated { n = a + 1; } if (a == 3) { x = i; } } }
}
assert n == 4;
";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("shards-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("prog.task"), PROGRAM).expect("a program");
    folder
}

fn heddle(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    let output = command.args(arguments).current_dir(folder).output();
    let output = output.expect("heddle starts");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Merges the parts and compares them with the whole.
fn compare(folder: &Path) {
    let part = |number| format!("part-{number}.json");
    let parts: Vec<String> = (1..=PARTS).map(part).collect();
    let mut arguments = vec!["merge", "--format", "json"];
    arguments.extend(parts.iter().map(String::as_str));
    let merged = heddle(folder, &arguments);
    let explore = [
        "explore",
        "prog.task",
        "--reduction",
        "none",
        "--format",
        "json",
    ];
    let whole = heddle(folder, &explore);
    assert_eq!(merged["guarantee"], whole["guarantee"]);
    for count in ["schedules", "complete"] {
        let (merged, whole) = (&merged["exploration"], &whole["exploration"]);
        assert_eq!(merged[count], whole[count], "{merged}\n{whole}");
    }
    let kinds = |report: &serde_json::Value| {
        let findings = report["findings"].as_array().expect("findings").iter();
        let mut kinds: Vec<String> = findings
            .map(|finding| format!("{} {}", finding["kind"], finding["location"]))
            .collect();
        kinds.sort();
        kinds
    };
    assert_eq!(kinds(&merged), kinds(&whole));
    assert!(!kinds(&whole).is_empty());
}

/// The command of one part, as a shell takes it.
fn explore(part: &str) -> String {
    let heddle = env!("CARGO_BIN_EXE_heddle");
    format!(
        "'{heddle}' explore prog.task --reduction none --shard {part}/{PARTS} --format json > part-{part}.json"
    )
}

/// A Slurm of one node; its processes end with it.
struct Slurm {
    folder: PathBuf,
    daemons: Vec<Child>,
}

impl Slurm {
    /// What keeps it from starting is told.
    fn start(folder: &Path) -> Result<Self, String> {
        let host = std::fs::read_to_string("/etc/hostname").map_err(|error| error.to_string())?;
        let (host, at) = (host.trim(), folder.display());
        // Ports that no other test uses at the same time.
        let port = 20_000 + std::process::id() % 20_000;
        let configuration = format!(
            "ClusterName=heddle
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
SlurmctldPort={port}
SlurmdPort={}
StateSaveLocation={at}/state
SlurmdSpoolDir={at}/spool
SlurmctldPidFile={at}/slurmctld.pid
SlurmdPidFile={at}/slurmd.pid
SlurmctldLogFile={at}/slurmctld.log
SlurmdLogFile={at}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/linear
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
",
            port + 1
        );
        std::fs::write(folder.join("slurm.conf"), configuration).map_err(|e| e.to_string())?;
        for name in ["state", "spool"] {
            std::fs::create_dir_all(folder.join(name)).map_err(|e| e.to_string())?;
        }
        let mut slurm = Self {
            folder: folder.to_owned(),
            daemons: Vec::new(),
        };
        for daemon in ["/usr/sbin/slurmctld", "/usr/sbin/slurmd"] {
            slurm.daemon(daemon)?;
        }
        slurm.is_up().map(|()| slurm)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env("SLURM_CONF", self.folder.join("slurm.conf"))
            .current_dir(&self.folder);
        command
    }

    fn daemon(&mut self, program: &str) -> Result<(), String> {
        let mut command = self.command(program);
        let quiet = command
            .arg("-D")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let daemon = quiet
            .spawn()
            .map_err(|error| format!("{program}: {error}"))?;
        self.daemons.push(daemon);
        Ok(())
    }

    fn is_up(&mut self) -> Result<(), String> {
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            for daemon in &mut self.daemons {
                if let Ok(Some(status)) = daemon.try_wait() {
                    return Err(format!("a daemon ended: {status}"));
                }
            }
            let answer = self.command("sinfo").args(["-h", "-o", "%t"]).output();
            let answer = answer.map_err(|error| format!("sinfo: {error}"))?;
            if String::from_utf8_lossy(&answer.stdout).trim() == "idle" {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        Err("the node does not become idle".into())
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        for daemon in &mut self.daemons {
            // It may have ended by itself.
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

fn by_slurm(slurm: &Slurm) {
    let script = format!(
        "#!/bin/sh\n#SBATCH --array=1-{PARTS}\n{}\nexit 0\n",
        explore("$SLURM_ARRAY_TASK_ID")
    );
    std::fs::write(slurm.folder.join("job.sh"), script).expect("a script");
    let mut batch = slurm.command("sbatch");
    let submitted = batch.args(["--wait", "--output=log-%a", "job.sh"]).output();
    let submitted = submitted.expect("sbatch starts");
    assert!(submitted.status.success(), "{submitted:?}");
}

fn by_parallel(folder: &Path) {
    let mut parallel = Command::new("parallel");
    let numbers = (1..=PARTS).map(|number| number.to_string());
    let ended = parallel
        .arg(explore("{}"))
        .arg(":::")
        .args(numbers)
        .current_dir(folder)
        .stderr(Stdio::null())
        .status();
    let ended = ended.expect("GNU parallel is installed (cargo xtask setup)");
    // The number of jobs that failed: all have findings, or none has.
    assert!(
        ended.code().is_some_and(|code| code <= PARTS as i32),
        "{ended}"
    );
}

#[test]
fn an_array_of_slurm_jobs_finds_what_one_exploration_does() {
    let folder = folder("slurm");
    match Slurm::start(&folder) {
        Ok(slurm) => by_slurm(&slurm),
        Err(why) => {
            eprintln!("Slurm does not start here ({why}); GNU parallel instead");
            by_parallel(&folder);
        }
    }
    compare(&folder);
}

#[test]
fn jobs_of_gnu_parallel_find_what_one_exploration_does() {
    let folder = folder("parallel");
    by_parallel(&folder);
    compare(&folder);
}
