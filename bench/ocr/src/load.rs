//! Loads of the same shape as the thesis' three large programs, and some others, made here: which tasks there are, in
//! a legal order, what precedes each, and what it accesses.

/// A task: what precedes its start, the finish it is in, and its accesses.
#[derive(Clone, Debug)]
pub struct Edt {
    /// Who made it runnable.
    pub enabler: u32,
    /// Who created it.
    pub creator: u32,
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
    /// Locations in use.
    pub locations: u64,
}

pub fn read(start: u64, len: u64) -> Access {
    Access {
        is_write: false,
        start,
        len,
    }
}

pub fn write(start: u64, len: u64) -> Access {
    Access {
        is_write: true,
        start,
        len,
    }
}

impl Load {
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            ..Self::default()
        }
    }

    /// A block of so many locations.
    pub fn block(&mut self, len: u64) -> u64 {
        self.locations += len;
        self.locations - len
    }

    pub fn add(&mut self, enabler: u32, home: u32, accesses: Vec<Access>) -> u32 {
        self.edts.push(Edt {
            enabler,
            creator: enabler,
            sources: Vec::new(),
            home,
            after: None,
            opens: None,
            accesses,
        });
        self.edts.len() as u32 - 1
    }

    /// A task that comes after a finish of `owner`'s. Whoever created the owner creates it, too.
    pub fn add_after(&mut self, owner: u32, finish: u32, accesses: Vec<Access>) -> u32 {
        let Edt { home, creator, .. } = self.edts[owner as usize];
        let made = self.add(owner, home, accesses);
        let edt = &mut self.edts[made as usize];
        (edt.creator, edt.after) = (creator, Some(finish));
        made
    }

    pub fn open(&mut self, edt: u32) -> u32 {
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
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Look-ups, as RSBench and XSBench make them: tables that tasks of one finish fill, each `grids` a part of one;
/// then rounds, in each a finish of `width` chains of three tasks, which choose a material, find a part of the table, and
/// read it.
pub fn look_ups(name: &'static str, rounds: u32, width: u32, grids: u64, reads: u64) -> Load {
    const TABLE: u64 = 1024;
    let mut load = Load::new(name);
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (inputs, templates) = (load.block(16), load.block(16));
    let (materials, table) = (load.block(TABLE), load.block(TABLE));
    let parts = load.block(grids * 4);
    let first = load.add(0, 0, vec![write(inputs, 16)]);
    let filler = load.add(first, 0, vec![read(inputs, 16)]);
    let filling = load.open(filler);
    for block in [(templates, 16), (materials, TABLE), (table, TABLE)] {
        load.add(
            filler,
            filling,
            vec![read(inputs, 16), write(block.0, block.1)],
        );
    }
    for part in 0..grids {
        load.add(filler, filling, vec![write(parts + part * 4, 4)]);
    }
    let mut last = load.add_after(filler, filling, vec![read(inputs, 16)]);
    for _ in 0..rounds {
        let spawner = load.add(last, 0, vec![read(inputs, 16), read(templates, 16)]);
        let finish = load.open(spawner);
        for _ in 0..width {
            let mut some = |start: u64, count: u64| -> Vec<Access> {
                let one = |_| read(start + random.below(TABLE), 1);
                (0..count).map(one).collect()
            };
            let mut choose = some(materials, reads / 4);
            choose.extend([read(inputs, 16), read(templates, 16)]);
            let chosen = load.add(spawner, finish, choose);
            let mut find = vec![read(templates, 16)];
            let mut compute = some(table, reads);
            if grids > 0 {
                let part = parts + random.below(grids) * 4;
                find.push(read(part, 4));
                compute.push(read(part, 4));
            }
            let found = load.add(chosen, finish, find);
            load.add(found, finish, compute);
        }
        last = load.add_after(spawner, finish, vec![read(inputs, 16)]);
    }
    load
}

/// An unbalanced tree, searched in parallel: a task has a frame that its parent's fills in, a finish for its
/// children, which write their results into the frame, and a continuation that reads them.
pub fn tree_search(edts: usize) -> Load {
    const FRAME: u64 = 64;
    let mut load = Load::new("tree");
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let globals = load.block(16);
    let frame = load.block(FRAME);
    let root = load.add(0, 0, vec![write(globals, 16), write(frame, FRAME)]);
    // Nodes to be searched: who makes the task, in which finish, its frame, and where its result goes.
    let mut open = vec![Step::Search {
        by: root,
        home: 0,
        frame,
        result: None,
    }];
    let mut left = edts;
    while let Some(step) = open.pop() {
        match step {
            Step::Search {
                by,
                home,
                frame,
                result,
            } => {
                let accesses = vec![read(globals, 16), read(frame, 4), write(frame + 4, 4)];
                let search = load.add(by, home, accesses);
                left = left.saturating_sub(3);
                let children = match left {
                    0 => 0,
                    _ => random.below(5).max(u64::from(load.edts.len() < 200)),
                };
                let finish = load.open(search);
                open.push(Step::Continue {
                    owner: search,
                    finish,
                    frame,
                    children,
                    result,
                });
                for child in 0..children {
                    let place = load.block(FRAME);
                    let fill = load.add(search, finish, vec![read(frame + 4, 4), write(place, 4)]);
                    open.push(Step::Search {
                        by: fill,
                        home: finish,
                        frame: place,
                        result: Some(frame + 8 + child),
                    });
                }
            }
            Step::Continue {
                owner,
                finish,
                frame,
                children,
                result,
            } => {
                let mut accesses = vec![read(frame, 8), read(frame + 8, children)];
                accesses.extend(result.map(|place| write(place, 1)));
                load.add_after(owner, finish, accesses);
            }
        }
    }
    load
}

/// What is left to do of a tree.
enum Step {
    Search {
        by: u32,
        home: u32,
        frame: u64,
        result: Option<u64>,
    },
    Continue {
        owner: u32,
        finish: u32,
        frame: u64,
        children: u64,
        result: Option<u64>,
    },
}

/// The same with events instead of finishes: each task has a join that comes after all its children and
/// reads what they left, and everyone reads the parameters. The last task comes after all and writes them.
pub fn joins(edts: usize) -> Load {
    let mut load = Load::new("joins");
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let globals = load.block(16);
    let root = load.add(0, 0, vec![write(globals, 16)]);
    let mut open = vec![(root, globals)];
    let mut ends = Vec::new();
    while load.edts.len() < edts {
        let at = random.below(open.len() as u64) as usize;
        let (parent, own) = open.swap_remove(at);
        let children = 1 + random.below(6);
        let mut made = Vec::new();
        for _ in 0..children {
            let place = load.block(4);
            let accesses = vec![read(globals, 16), read(own, 4), write(place, 4)];
            let child = load.add(parent, 0, accesses);
            made.push((child, place));
            open.push((child, place));
        }
        let mut accesses = vec![read(globals, 16)];
        accesses.extend(made.iter().map(|&(_, place)| read(place, 4)));
        let enabler = made[made.len() - 1].0;
        let join = load.add(enabler, 0, accesses);
        load.edts[join as usize].sources = made.iter().map(|&(child, _)| child).collect();
        ends.push(join);
    }
    ends.extend(open.iter().map(|&(leaf, _)| leaf));
    let last = load.add(ends[0], 0, vec![write(globals, 16)]);
    load.edts[last as usize].sources = ends;
    load
}

/// A grid: each task comes after the one above and the one to the left, and reads what they wrote.
pub fn grid(side: u32) -> Load {
    let mut load = Load::new("grid");
    let globals = load.block(64);
    load.add(0, 0, vec![write(globals, 64)]);
    let cells = load.block(u64::from(side) * u64::from(side) * 4);
    let place = |row: u32, column: u32| cells + u64::from(row * side + column) * 4;
    for row in 0..side {
        for column in 0..side {
            let mut accesses = vec![read(globals, 16), write(place(row, column), 4)];
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

/// A stencil: in each step, each piece comes after itself and its neighbours of the step before, and reads what they
/// wrote; there are two sets of pieces.
pub fn stencil(name: &'static str, pieces: u32, steps: u32) -> Load {
    let mut load = Load::new(name);
    let globals = load.block(4);
    load.add(0, 0, vec![write(globals, 4)]);
    let cells = load.block(u64::from(pieces) * 2);
    let place = |step: u32, piece: u32| cells + u64::from(step % 2 * pieces + piece);
    for step in 0..steps {
        for piece in 0..pieces {
            let near = [(piece + pieces - 1) % pieces, piece, (piece + 1) % pieces];
            let mut accesses = vec![read(globals, 1)];
            let (mut enabler, mut sources) = (0, Vec::new());
            if step > 0 {
                let edt = |piece: u32| 1 + (step - 1) * pieces + piece;
                accesses.extend(near.map(|piece| read(place(step - 1, piece), 1)));
                enabler = near.map(edt).into_iter().max().unwrap_or(0);
                sources = near.map(edt).into_iter().collect();
                sources.retain(|&source| source != enabler);
                sources.dedup();
            }
            accesses.push(write(place(step, piece), 1));
            let made = load.add(enabler, 0, accesses);
            load.edts[made as usize].sources = sources;
        }
    }
    load
}

/// Tasks that each come after three of those shortly before, at random; all read one block, and few write it.
pub fn tangle(edts: u32, window: u32) -> Load {
    let mut load = Load::new("tangle");
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    let block = load.block(4);
    load.add(0, 0, vec![write(block, 4)]);
    let own = load.block(u64::from(edts));
    for number in 1..edts {
        let mut some = || number - 1 - random.below(u64::from(window.min(number))) as u32;
        let mut sources = vec![some(), some(), some()];
        sources.sort_unstable();
        sources.dedup();
        let mut accesses = vec![read(block, 4), write(own + u64::from(number), 1)];
        accesses.extend(
            sources
                .iter()
                .map(|&source| read(own + u64::from(source), 1)),
        );
        let enabler = sources.pop().unwrap_or(0);
        let made = load.add(enabler, 0, accesses);
        load.edts[made as usize].sources = sources;
    }
    load
}

/// The same load with a defect: one task in the middle also writes what all read.
pub fn with_defect(mut load: Load) -> Load {
    // Not the join of a round.
    let middle = load.edts.len() / 2 + 7;
    load.edts[middle].accesses.push(write(0, 4));
    load
}
