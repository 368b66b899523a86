//! Two withdrawals from one account. Every access takes the lock, and money can still be lost.

use heddle::{Mutex, check, join};

fn withdraw(account: &Mutex<u64>, amount: u64) {
    let balance = *account.lock().unwrap();
    if balance >= amount {
        *account.lock().unwrap() = balance - amount;
    }
}

fn main() {
    let report = check(|| {
        let account = Mutex::named("account", 100);
        join(|| withdraw(&account, 30), || withdraw(&account, 40));
    });
    println!("{report}");
}
