//! Channels: [`std::sync::mpsc`], checked. What a sender did before it sent a message precedes what the receiver does after it got it.
//!
//! ```
//! use heddle::sync::mpsc;
//! use heddle::{Shared, check, thread};
//! use std::sync::Arc;
//!
//! check(|| {
//!     let (sender, receiver) = mpsc::channel();
//!     thread::spawn(move || {
//!         let value = Arc::new(Shared::new(0));
//!         value.set(5);
//!         sender.send(value).unwrap();
//!     });
//!     assert_eq!(receiver.recv().unwrap().get(), 5);
//! })
//! .assert_clean();
//! ```

use super::signal::Signal;
use crate::explore::world;
use std::sync::mpsc;
use std::time::Duration;

pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

/// The sending half of a [`channel`].
#[derive(Debug)]
pub struct Sender<T>(mpsc::Sender<(T, Signal)>);

/// The sending half of a [`sync_channel`].
#[derive(Debug)]
pub struct SyncSender<T>(mpsc::SyncSender<(T, Signal)>);

/// The receiving half.
#[derive(Debug)]
pub struct Receiver<T>(mpsc::Receiver<(T, Signal)>);

/// A channel that never makes a sender wait.
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = mpsc::channel();
    (Sender(sender), Receiver(receiver))
}

/// A channel for at most so many messages that nobody has got yet.
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let (sender, receiver) = mpsc::sync_channel(bound);
    (SyncSender(sender), Receiver(receiver))
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Clone for SyncSender<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Sender<T> {
    /// Sends a message.
    ///
    /// # Errors
    /// If nobody can receive it any more; the error has the message.
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        refuse();
        let sent = self.0.send((message, Signal::now()));
        sent.map_err(|SendError((message, _))| SendError(message))
    }
}

impl<T> SyncSender<T> {
    /// Sends a message, when there is room for it.
    ///
    /// # Errors
    /// If nobody can receive it any more; the error has the message.
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        refuse();
        let sent = self.0.send((message, Signal::now()));
        sent.map_err(|SendError((message, _))| SendError(message))
    }

    /// Sends a message, if there is room for it.
    ///
    /// # Errors
    /// If there is none, or nobody can receive it any more; the error has the message.
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        refuse();
        let sent = self.0.try_send((message, Signal::now()));
        sent.map_err(|error| match error {
            TrySendError::Full((message, _)) => TrySendError::Full(message),
            TrySendError::Disconnected((message, _)) => TrySendError::Disconnected(message),
        })
    }
}

/// Which message comes first is no choice that can be explored.
fn refuse() {
    world::refuse("a channel", "let tasks share a value behind a lock");
}

fn received<T, E>(message: Result<(T, Signal), E>) -> Result<T, E> {
    let (message, sent) = message?;
    sent.precedes();
    Ok(message)
}

impl<T> Receiver<T> {
    /// Waits for the next message.
    ///
    /// # Errors
    /// If nobody can send one any more.
    pub fn recv(&self) -> Result<T, RecvError> {
        refuse();
        received(self.0.recv())
    }

    /// The next message, if there is one.
    ///
    /// # Errors
    /// If there is none.
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        refuse();
        received(self.0.try_recv())
    }

    /// Waits for the next message, but not longer than that.
    ///
    /// # Errors
    /// If none came in time, or nobody can send one any more.
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        refuse();
        received(self.0.recv_timeout(timeout))
    }

    /// All messages, as they come, until nobody can send any more.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        std::iter::from_fn(|| self.recv().ok())
    }

    /// The messages that are there.
    pub fn try_iter(&self) -> impl Iterator<Item = T> + '_ {
        std::iter::from_fn(|| self.try_recv().ok())
    }
}

/// All messages of a [`Receiver`], as they come.
#[derive(Debug)]
pub struct IntoIter<T>(Receiver<T>);

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter(self)
    }
}
