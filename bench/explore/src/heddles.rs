//! The problems, with Heddle's tasks.

use heddle::{Mutex, Shared, SharedVec, finish, isolated, join, par_for};

pub fn counter() {
    let count = Mutex::new(0);
    par_for(0..3, |_| *count.lock().unwrap() += 1);
    assert_eq!(count.into_inner().unwrap(), 3);
}

pub fn bank() {
    let accounts = [Mutex::new(100), Mutex::new(100)];
    let transfer = |amount: i32| {
        let mut from = accounts[0].lock().unwrap();
        let mut to = accounts[1].lock().unwrap();
        *from -= amount;
        *to += amount;
    };
    finish(|s| {
        s.spawn(|_| transfer(10));
        s.spawn(|_| transfer(20));
        s.spawn(|_| {
            let first = accounts[0].lock().unwrap();
            assert_eq!(*first + *accounts[1].lock().unwrap(), 200);
        });
    });
}

pub fn philosophers() {
    dine([[0, 1], [1, 2], [0, 2]]);
}

pub fn hungry_philosophers() {
    dine([[0, 1], [1, 2], [2, 0]]);
}

fn dine(seats: [[usize; 2]; 3]) {
    let forks = [Mutex::new(0), Mutex::new(0), Mutex::new(0)];
    par_for(0..3, |seat| {
        let [first, second] = seats[seat];
        let mut first = forks[first].lock().unwrap();
        *first += 1;
        *forks[second].lock().unwrap() += 1;
    });
}

pub fn queue() {
    let (queue, taken) = (Mutex::new(Vec::new()), Mutex::new(0));
    join(
        || {
            for item in 1..3 {
                queue.lock().unwrap().push(item);
            }
        },
        || {
            for _ in 0..3 {
                if let Some(item) = queue.lock().unwrap().pop() {
                    *taken.lock().unwrap() += item;
                }
            }
        },
    );
    let left: i32 = queue.into_inner().unwrap().into_iter().sum();
    assert_eq!(left + taken.into_inner().unwrap(), 3);
}

/// A linked list in an array: `next[node]`, with `head` in the last place.
pub fn stack() {
    let (next, popped) = (SharedVec::new(4, 0), Shared::new(0));
    par_for(0..2, |thread| {
        let node = thread + 1;
        isolated(|| {
            next.set(node, next.get(3));
            next.set(3, node);
        });
        isolated(|| {
            let head = next.get(3);
            if head != 0 {
                next.set(3, next.get(head));
                popped.add(1);
            }
        });
    });
    assert_eq!(popped.get(), 2);
}
