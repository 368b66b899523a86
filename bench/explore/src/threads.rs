//! The problems, with threads as loom and shuttle have them.

macro_rules! problems {
    ($module:ident, $root:ident) => {
        pub mod $module {
            use $root::sync::{Arc, Mutex};
            use $root::thread;

            /// Runs these on a thread each, and waits for them.
            fn all(bodies: Vec<Box<dyn FnOnce() + Send>>) {
                let threads: Vec<_> = bodies.into_iter().map(|body| thread::spawn(body)).collect();
                threads
                    .into_iter()
                    .for_each(|thread| thread.join().unwrap());
            }

            pub fn counter() {
                let count = Arc::new(Mutex::new(0));
                let add = |_| {
                    let count = Arc::clone(&count);
                    Box::new(move || *count.lock().unwrap() += 1) as Box<dyn FnOnce() + Send>
                };
                all((0..3).map(add).collect());
                assert_eq!(*count.lock().unwrap(), 3);
            }

            pub fn bank() {
                let accounts = Arc::new([Mutex::new(100), Mutex::new(100)]);
                let transfer = |amount: i32| {
                    let accounts = Arc::clone(&accounts);
                    Box::new(move || {
                        let mut from = accounts[0].lock().unwrap();
                        let mut to = accounts[1].lock().unwrap();
                        *from -= amount;
                        *to += amount;
                    }) as Box<dyn FnOnce() + Send>
                };
                let audited = Arc::clone(&accounts);
                let audit = Box::new(move || {
                    let first = audited[0].lock().unwrap();
                    assert_eq!(*first + *audited[1].lock().unwrap(), 200);
                });
                all(vec![transfer(10), transfer(20), audit]);
            }

            pub fn philosophers() {
                dine([[0, 1], [1, 2], [0, 2]]);
            }

            pub fn hungry_philosophers() {
                dine([[0, 1], [1, 2], [2, 0]]);
            }

            fn dine(seats: [[usize; 2]; 3]) {
                let forks = Arc::new([Mutex::new(0), Mutex::new(0), Mutex::new(0)]);
                let eat = |[first, second]: [usize; 2]| {
                    let forks = Arc::clone(&forks);
                    Box::new(move || {
                        let mut first = forks[first].lock().unwrap();
                        *first += 1;
                        *forks[second].lock().unwrap() += 1;
                    }) as Box<dyn FnOnce() + Send>
                };
                all(seats.into_iter().map(eat).collect());
            }

            pub fn queue() {
                let queue = Arc::new(Mutex::new(Vec::new()));
                let taken = Arc::new(Mutex::new(0));
                let into = Arc::clone(&queue);
                let produce = Box::new(move || {
                    for item in 1..3 {
                        into.lock().unwrap().push(item);
                    }
                });
                let (from, sum) = (Arc::clone(&queue), Arc::clone(&taken));
                let consume = Box::new(move || {
                    for _ in 0..3 {
                        if let Some(item) = from.lock().unwrap().pop() {
                            *sum.lock().unwrap() += item;
                        }
                    }
                });
                all(vec![produce, consume]);
                let left: i32 = queue.lock().unwrap().iter().sum();
                assert_eq!(left + *taken.lock().unwrap(), 3);
            }

            /// `next[node]` with the head in the last place, and how many were popped; under one lock, as
            /// isolated sections are.
            pub fn stack() {
                let shared = Arc::new(Mutex::new(([0usize; 4], 0)));
                let use_it = |node: usize| {
                    let shared = Arc::clone(&shared);
                    Box::new(move || {
                        {
                            let (next, _) = &mut *shared.lock().unwrap();
                            next[node] = next[3];
                            next[3] = node;
                        }
                        let (next, popped) = &mut *shared.lock().unwrap();
                        let head = next[3];
                        if head != 0 {
                            next[3] = next[head];
                            *popped += 1;
                        }
                    }) as Box<dyn FnOnce() + Send>
                };
                all(vec![use_it(1), use_it(2)]);
                assert_eq!(shared.lock().unwrap().1, 2);
            }
        }
    };
}

problems! { of_loom, loom }
problems! { of_shuttle, shuttle }
