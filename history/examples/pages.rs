//! A search whose later pages are kept: `cargo run -p ideindex-history --example pages`.

use std::time::Duration;

use history::{Binding, CursorError, Slots};

pub(crate) fn main() -> Result<(), CursorError> {
    let mut slots: Slots<Vec<u32>> = Slots::default();
    let search = Binding { client: "agent", tool: "search", project: "/project" };

    // The clock and the randomness are arguments.
    let kept_at = Duration::from_secs(1);
    let entry = slots.keep(search, (1..=100).collect(), kept_at, 0x5eed);
    let cursor = entry.token(20, 10);

    let hit = slots.find(search, &cursor, Duration::from_secs(60))?;
    let page: Vec<u32> = hit.payload.iter().copied().skip(hit.offset).take(10).collect();
    assert_eq!(page, (21..=30).collect::<Vec<u32>>());

    // A cursor belongs to one client, one tool and one project, and ends after ten minutes without use.
    let other = Binding { tool: "references", ..search };
    assert_eq!(slots.find(other, &cursor, Duration::from_secs(61)).err(), Some(CursorError::OtherTool));
    assert_eq!(slots.find(search, &cursor, Duration::from_secs(3600)).err(), Some(CursorError::Expired));
    Ok(())
}
