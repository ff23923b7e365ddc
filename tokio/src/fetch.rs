//! Waits for several answers at once, each within its deadline, each panic caught.
//!
//! What a panic says may quote a value, so that it is left to the panic hook of the program.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use tokio::runtime::{Handle, RuntimeFlavor};

/// The answer of a future, or why there is none: it panicked or took too long.
pub(crate) async fn within<F: Future + ?Sized>(
    deadline: Duration,
    mut future: Pin<Box<F>>,
) -> Result<F::Output, String> {
    let guarded = poll_fn(|context| {
        // A future that panicked is not polled again: the panic is its answer.
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(poll) => poll.map(Ok),
            Err(_) => Poll::Ready(Err("it panicked".to_owned())),
        }
    });
    match tokio::time::timeout(deadline, guarded).await {
        Ok(answer) => answer,
        Err(_) => Err(format!("there is no answer after {} ms", deadline.as_millis())),
    }
}

/// Waits for a future in the middle of synchronous code.
pub(crate) fn wait<F: Future + ?Sized>(
    deadline: Duration,
    future: Pin<Box<F>>,
) -> Result<F::Output, String> {
    let handle = match Handle::try_current() {
        Ok(handle) if handle.runtime_flavor() == RuntimeFlavor::CurrentThread => {
            return Err("it can only be waited for in a runtime of several threads".to_owned());
        }
        Ok(handle) => handle,
        Err(_) => return Err("there is no runtime to wait in".to_owned()),
    };
    tokio::task::block_in_place(|| handle.block_on(within(deadline, future)))
}

/// Drives all futures at once; the results are in the order of the futures.
pub(crate) async fn together<T>(futures: Vec<crate::Waiting<'_, T>>) -> Vec<T> {
    let mut waiting: Vec<_> = futures.into_iter().map(|future| (Some(future), None)).collect();
    poll_fn(|context| {
        let mut open = false;
        for (future, result) in &mut waiting {
            let Some(pending) = future else { continue };
            match pending.as_mut().poll(context) {
                Poll::Ready(value) => (*future, *result) = (None, Some(value)),
                Poll::Pending => open = true,
            }
        }
        if open { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    waiting.into_iter().filter_map(|(_, result)| result).collect()
}
