//! An account that several tasks draw on; looked at and changed in one section.

use heddle::Mutex;

pub struct Account {
    balance: Mutex<u64>,
}

impl Account {
    pub fn new(balance: u64) -> Self {
        let balance = Mutex::named("balance", balance);
        Self { balance }
    }

    /// Takes out the amount if there is enough.
    pub fn withdraw(&self, amount: u64) -> bool {
        let mut balance = self.balance.lock().unwrap();
        if *balance < amount {
            return false;
        }
        *balance -= amount;
        true
    }
}
