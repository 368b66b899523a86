//! Loads of the same shape as the thesis' three large programs, made here: which tasks there are, in a legal
//! order, what precedes each, and what it accesses.

/// A task: what precedes its start, the finish it is in, and its accesses.
#[derive(Clone, Debug)]
pub struct Edt {
    /// Who made it runnable.
    pub enabler: u32,
    /// Further tasks that it comes after.
    pub sources: Vec<u32>,
    /// The finish it is created in; 0 is the program's.
    pub home: u32,
    /// The finish that it comes after, instead of a task.
    pub after: Option<u32>,
    /// The finish that it opens.
    pub opens: Option<u32>,
    /// Its accesses.
    pub accesses: Vec<Access>,
}

/// An access to `len` locations from `start` on.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub is_write: bool,
    pub start: u64,
    pub len: u64,
}

/// A run.
#[derive(Debug, Default)]
pub struct Load {
    pub name: &'static str,
    /// Task 0 is the first.
    pub edts: Vec<Edt>,
    pub finishes: u32,
}

fn read(start: u64, len: u64) -> Access {
    Access {
        is_write: false,
        start,
        len,
    }
}

fn write(start: u64, len: u64) -> Access {
    Access {
        is_write: true,
        start,
        len,
    }
}

impl Load {
    fn add(&mut self, enabler: u32, home: u32, accesses: Vec<Access>) -> u32 {
        self.edts.push(Edt {
            enabler,
            sources: Vec::new(),
            home,
            after: None,
            opens: None,
            accesses,
        });
        self.edts.len() as u32 - 1
    }

    fn open(&mut self, edt: u32) -> u32 {
        self.finishes += 1;
        self.edts[edt as usize].opens = Some(self.finishes);
        self.finishes
    }

    /// How many edges there are: spawns, sources, and from tasks to their finish and from there on.
    pub fn edges(&self) -> usize {
        let sources: usize = self.edts.iter().map(|edt| edt.sources.len()).sum();
        let joined = self.edts.iter().filter(|edt| edt.home != 0).count();
        let after = self.edts.iter().filter(|edt| edt.after.is_some()).count();
        self.edts.len() - 1 + sources + joined + after
    }
}

/// A small generator of numbers: the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Rounds of look-ups: in each, a finish of so many chains of three tasks that all read tables which the first task
/// wrote; the next round comes after the finish.
pub fn look_ups(name: &'static str, rounds: u32, width: u32, reads: u64) -> Load {
    const TABLE: u64 = 4096;
    let mut load = Load {
        name,
        ..Load::default()
    };
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut last = load.add(0, 0, vec![write(0, TABLE)]);
    for _ in 0..rounds {
        let spawner = load.add(last, 0, vec![read(0, 16)]);
        let finish = load.open(spawner);
        for _ in 0..width {
            let mut chain = spawner;
            for _ in 0..3 {
                let some = (0..reads).map(|_| read(random.below(TABLE), 1)).collect();
                chain = load.add(chain, finish, some);
            }
        }
        last = load.add(spawner, 0, vec![read(0, 16)]);
        load.edts[last as usize].after = Some(finish);
    }
    load
}

/// An unbalanced tree: each task reads the parameters, has a place of its own that its parent wrote, and a join
/// that comes after all its children and reads what they left.
pub fn tree_search(edts: usize) -> Load {
    let mut load = Load {
        name: "UTS-like",
        ..Load::default()
    };
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let root = load.add(0, 0, vec![write(0, 64), write(64, 4)]);
    let mut open = vec![(root, 64u64)];
    let mut places = 68;
    while load.edts.len() < edts {
        let at = random.below(open.len() as u64) as usize;
        let (parent, own) = open.swap_remove(at);
        let children = 1 + random.below(6);
        let mut ends = Vec::new();
        for _ in 0..children {
            let place = places;
            places += 4;
            let accesses = vec![read(0, 16), read(own, 4), write(place, 4)];
            let child = load.add(parent, 0, accesses);
            ends.push((child, place));
            open.push((child, place));
        }
        let mut accesses = vec![read(0, 16)];
        accesses.extend(ends.iter().map(|&(_, place)| read(place, 4)));
        let enabler = ends[ends.len() - 1].0;
        let join = load.add(enabler, 0, accesses);
        load.edts[join as usize].sources = ends.iter().map(|&(child, _)| child).collect();
        load.edts[join as usize].sources.push(parent);
    }
    load
}

/// A grid: each task comes after the one above and the one to the left, and reads what they wrote.
pub fn grid(side: u32) -> Load {
    let mut load = Load {
        name: "grid",
        ..Load::default()
    };
    load.add(0, 0, vec![write(0, 64)]);
    let place = |row: u32, column: u32| 64 + u64::from(row * side + column) * 4;
    for row in 0..side {
        for column in 0..side {
            let mut accesses = vec![read(0, 16), write(place(row, column), 4)];
            let (mut enabler, mut sources) = (0, Vec::new());
            let edt = |row: u32, column: u32| 1 + row * side + column;
            if row > 0 {
                accesses.push(read(place(row - 1, column), 4));
                enabler = edt(row - 1, column);
            }
            if column > 0 {
                accesses.push(read(place(row, column - 1), 4));
                if row > 0 {
                    sources.push(enabler);
                }
                enabler = edt(row, column - 1);
            }
            let made = load.add(enabler, 0, accesses);
            load.edts[made as usize].sources = sources;
        }
    }
    load
}

/// The same load with a defect: one task in the middle also writes what all read.
pub fn with_defect(mut load: Load) -> Load {
    // Not the join of a round.
    let middle = load.edts.len() / 2 + 7;
    load.edts[middle].accesses.push(write(3, 2));
    load
}
