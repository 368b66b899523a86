//! Every state that any interleaving of a small program reaches.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::flat::{Creation, Flat, Op, Pc};
use super::tree::{EACH, LOCALS, Tree, VARIABLES};

/// A task by its place among its creator's, its creator's among those of its, and so on.
type Path = Vec<u8>;

/// A finish: whose, and its number there. The main task's own is 0.
type Finish = (Path, u8);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Task {
    pc: Pc,
    locals: [i64; LOCALS as usize],
    /// Handles of futures by their number in the text.
    handles: BTreeMap<usize, Path>,
    isolated: u8,
    /// The finish it was created into.
    home: Finish,
    open: Vec<Finish>,
    finishes: u8,
    children: u8,
    regions: [Vec<Path>; EACH as usize],
    /// It waits for this event before it starts.
    needs: Option<u8>,
    has_ended: bool,
    is_posted: bool,
}

/// A state of the whole program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    memory: [i64; VARIABLES as usize],
    tasks: BTreeMap<Path, Task>,
    isolated: Option<Path>,
    locks: [Option<Path>; EACH as usize],
    events: [bool; EACH as usize],
}

/// What the schedules of a program show.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcomes {
    /// Variables with a race, by number.
    pub races: BTreeSet<u64>,
    /// Lines of assertions that fail.
    pub assertions: BTreeSet<u32>,
    /// Whether some schedule ends in a deadlock.
    pub deadlock: bool,
    /// The values of the variables at the ends of the schedules that have one.
    pub finals: BTreeSet<Vec<i64>>,
}

/// Visits every reachable state; gives up, with nothing, beyond `most` of them.
pub fn enumerate(tree: &Tree, most: usize) -> Option<Outcomes> {
    let flat = Flat::new(tree);
    let mut outcomes = Outcomes::default();
    let mut start = State::new();
    start.settle_all(&flat, &mut outcomes);
    let mut seen = HashSet::from([start.clone()]);
    let mut work = vec![start];
    while let Some(state) = work.pop() {
        if seen.len() > most {
            return None;
        }
        state.look(&flat, &mut outcomes);
        let mut moved = false;
        for path in state.tasks.keys() {
            for mut next in state.moves(&flat, path) {
                moved = true;
                next.settle_all(&flat, &mut outcomes);
                if seen.insert(next.clone()) {
                    work.push(next);
                }
            }
        }
        if !moved {
            match state.tasks[&Path::new()].has_ended {
                true => {
                    outcomes.finals.insert(state.memory.to_vec());
                }
                false => outcomes.deadlock = true,
            }
        }
    }
    Some(outcomes)
}

impl Task {
    fn settle(&mut self, flat: &Flat, outcomes: &mut Outcomes) {
        loop {
            self.pc = match flat.ops[self.pc] {
                Op::Jump(to) => to,
                Op::Unless(local, value, to) if self.locals[usize::from(local)] != value => to,
                Op::Unless(..) => self.pc + 1,
                Op::Assert(local, value, line) => {
                    if self.locals[usize::from(local)] == value {
                        outcomes.assertions.insert(line);
                    }
                    self.pc + 1
                }
                _ => return,
            };
        }
    }
}

impl State {
    fn new() -> Self {
        let main = Task {
            pc: 0,
            locals: [0; LOCALS as usize],
            handles: BTreeMap::new(),
            isolated: 0,
            home: (Path::new(), 0),
            open: Vec::new(),
            finishes: 0,
            children: 0,
            regions: Default::default(),
            needs: None,
            has_ended: false,
            is_posted: false,
        };
        Self {
            memory: [0; VARIABLES as usize],
            tasks: BTreeMap::from([(Path::new(), main)]),
            isolated: None,
            locks: Default::default(),
            events: Default::default(),
        }
    }

    fn task(&mut self, path: &Path) -> &mut Task {
        self.tasks.get_mut(path).expect("a task of this state")
    }

    /// Executes what concerns no other task, in all of them.
    fn settle_all(&mut self, flat: &Flat, outcomes: &mut Outcomes) {
        for task in self.tasks.values_mut() {
            if !task.has_ended && task.needs.is_none() {
                task.settle(flat, outcomes);
            }
        }
    }

    /// Notes the variables that two tasks are about to access, one of them to write.
    fn look(&self, flat: &Flat, outcomes: &mut Outcomes) {
        let runs = |task: &&Task| !task.has_ended && task.needs.is_none();
        let next = |task: &Task| match flat.ops[task.pc] {
            Op::Read(_, x) => Some((x, false)),
            Op::Set(x, _) | Op::Add(x, _) => Some((x, true)),
            _ => None,
        };
        let accesses: Vec<(u8, bool)> = self.tasks.values().filter(runs).filter_map(next).collect();
        for (row, (x, writes)) in accesses.iter().enumerate() {
            for (y, other) in &accesses[row + 1..] {
                if x == y && (*writes || *other) {
                    outcomes.races.insert(u64::from(*x));
                }
            }
        }
    }

    /// The states after one step of the task.
    fn moves(&self, flat: &Flat, path: &Path) -> Vec<Self> {
        let task = &self.tasks[path];
        if task.has_ended {
            return Vec::new();
        }
        let mut next = self.clone();
        if let Some(event) = task.needs {
            next.task(path).needs = None;
            return match self.events[usize::from(event)] {
                true => vec![next],
                false => Vec::new(),
            };
        }
        let op = flat.ops[task.pc];
        if let Op::AwaitAny(region) = op {
            return self.await_any(path, region);
        }
        next.task(path).pc += 1;
        match next.step(path, op) {
            true => vec![next],
            false => Vec::new(),
        }
    }

    fn has_ended(&self, path: &Path) -> bool {
        self.tasks[path].has_ended
    }

    /// One step; whether it can be made.
    fn step(&mut self, path: &Path, op: Op) -> bool {
        match op {
            Op::Read(a, x) => {
                let value = self.memory[usize::from(x)];
                self.task(path).locals[usize::from(a)] = value;
            }
            Op::Set(x, value) => self.memory[usize::from(x)] = value,
            Op::Add(x, a) => {
                self.memory[usize::from(x)] = self.task(path).locals[usize::from(a)] + 1;
            }
            Op::EnterIsolated => {
                if self.isolated.as_ref().is_some_and(|holder| holder != path) {
                    return false;
                }
                self.isolated = Some(path.clone());
                self.task(path).isolated += 1;
            }
            Op::LeaveIsolated => {
                self.task(path).isolated -= 1;
                if self.task(path).isolated == 0 {
                    self.isolated = None;
                }
            }
            Op::Acquire(lock) => {
                if self.locks[usize::from(lock)].is_some() {
                    return false;
                }
                self.locks[usize::from(lock)] = Some(path.clone());
            }
            Op::Release(lock) => self.locks[usize::from(lock)] = None,
            Op::Create(creation, pc) => self.create(path, creation, pc),
            Op::BeginFinish => {
                let task = self.task(path);
                task.finishes += 1;
                let finish = (path.clone(), task.finishes);
                task.open.push(finish);
            }
            Op::EndFinish => return self.end_finish(path),
            Op::Get(a, number) => return self.get(path, a, number),
            Op::Await(region) => return self.await_all(path, region),
            Op::Satisfy(event) => self.events[usize::from(event)] = true,
            Op::End => return self.end(path),
            Op::AwaitAny(_) | Op::Unless(..) | Op::Jump(_) | Op::Assert(..) => return false,
        }
        true
    }

    fn create(&mut self, path: &Path, creation: Creation, pc: Pc) {
        let creator = self.task(path);
        let mut child = path.clone();
        child.push(creator.children);
        creator.children += 1;
        if let Creation::Future(number) = creation {
            creator.handles.insert(number, child.clone());
        }
        let home = creator.open.last().unwrap_or(&creator.home).clone();
        let mut task = Task {
            pc,
            locals: creator.locals,
            handles: creator.handles.clone(),
            isolated: 0,
            home,
            open: Vec::new(),
            finishes: 0,
            children: 0,
            regions: Default::default(),
            needs: None,
            has_ended: false,
            is_posted: false,
        };
        match creation {
            Creation::Post { region, passing } => {
                task.is_posted = true;
                if let Some(passing) = passing {
                    let passing = usize::from(passing);
                    task.regions[passing] = std::mem::take(&mut creator.regions[passing]);
                }
                creator.regions[usize::from(region)].push(child.clone());
            }
            Creation::After(event) => task.needs = Some(event),
            Creation::Async | Creation::Future(_) => {}
        }
        self.tasks.insert(child, task);
    }

    fn is_quiet(&self, finish: &Finish) -> bool {
        let mut tasks = self.tasks.iter();
        tasks.all(|(path, task)| task.has_ended || path.is_empty() || task.home != *finish)
    }

    fn end_finish(&mut self, path: &Path) -> bool {
        let finish = self.task(path).open.pop();
        finish.is_some_and(|finish| self.is_quiet(&finish))
    }

    fn get(&mut self, path: &Path, a: u8, number: usize) -> bool {
        let future = self.task(path).handles[&number].clone();
        let value = self.tasks[&future].locals[0];
        self.task(path).locals[usize::from(a)] = value;
        self.has_ended(&future)
    }

    /// Takes an ended task out of the region, and over what it did not wait for.
    fn take_out(&mut self, path: &Path, region: usize, member: &Path) {
        let left = std::mem::take(&mut self.task(member).regions);
        let task = self.task(path);
        task.regions[region].retain(|other| other != member);
        for (mine, left) in task.regions.iter_mut().zip(left) {
            mine.extend(left);
        }
    }

    fn await_all(&mut self, path: &Path, region: u8) -> bool {
        let region = usize::from(region);
        while let Some(member) = self.tasks[path].regions[region].first().cloned() {
            if !self.has_ended(&member) {
                return false;
            }
            self.take_out(path, region, &member);
        }
        true
    }

    fn await_any(&self, path: &Path, region: u8) -> Vec<Self> {
        let region = usize::from(region);
        let members = self.tasks[path].regions[region].iter();
        let ended = members.filter(|member| self.has_ended(member));
        let taken = ended.map(|member| {
            let mut next = self.clone();
            next.take_out(path, region, member);
            next.task(path).pc += 1;
            next
        });
        taken.collect()
    }

    fn end(&mut self, path: &Path) -> bool {
        if path.is_empty() && !self.is_quiet(&(Path::new(), 0)) {
            return false;
        }
        let task = self.task(path);
        task.has_ended = true;
        if !task.is_posted {
            task.regions = Default::default();
        }
        true
    }
}
