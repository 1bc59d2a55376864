//! A bounded command history and the cursor store for pagination, time passed in.
