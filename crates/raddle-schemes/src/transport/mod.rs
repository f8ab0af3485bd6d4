//! The one sender and the one receiver: later.
