//! Two withdrawals from one account. Looking and changing are one critical section.

use heddle::{Mutex, check, join};

fn withdraw(account: &Mutex<u64>, amount: u64) {
    let mut balance = account.lock().unwrap();
    if *balance >= amount {
        *balance -= amount;
    }
}

fn main() {
    let report = check(|| {
        let account = Mutex::named("account", 100);
        join(|| withdraw(&account, 30), || withdraw(&account, 40));
    });
    println!("{report}");
}
