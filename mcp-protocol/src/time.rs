//! Time as the host passes it in.

use std::time::{Duration, SystemTime};

/// Milliseconds since the Unix epoch. The crate reads no clock: hosts say what time it is.
///
/// Spec: none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixMillis(pub u64);

impl UnixMillis {
    /// The time that much later.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(millis(duration)))
    }

    /// The time in ISO 8601, UTC, with milliseconds.
    #[must_use]
    pub fn to_iso8601(self) -> String {
        let (days, ms) = (self.0 / 86_400_000, self.0 % 86_400_000);
        // civil date from a day number, counted in eras of 400 years that begin in March
        let z = days + 719_468;
        let (era, doe) = (z / 146_097, z % 146_097);
        let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
        let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        let mp = (5 * doy + 2) / 153;
        let day = doy - (153 * mp + 2) / 5 + 1;
        let month = if mp < 10 { mp + 3 } else { mp - 9 };
        let year = yoe + era * 400 + u64::from(month <= 2);
        let (h, m, s, ms) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000);
        format!("{year:04}-{month:02}-{day:02}T{h:02}:{m:02}:{s:02}.{ms:03}Z")
    }
}

impl From<SystemTime> for UnixMillis {
    /// Times before 1970 are 1970.
    fn from(time: SystemTime) -> Self {
        let since = time.duration_since(SystemTime::UNIX_EPOCH);
        Self(since.map_or(0, millis))
    }
}

/// A duration as the wire has it.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_around_leap_days_are_right() {
        assert_eq!(UnixMillis(0).to_iso8601(), "1970-01-01T00:00:00.000Z");
        assert_eq!(UnixMillis(951_782_400_000).to_iso8601(), "2000-02-29T00:00:00.000Z");
        assert_eq!(UnixMillis(1_772_323_199_999).to_iso8601(), "2026-02-28T23:59:59.999Z");
        assert_eq!(UnixMillis(1_772_323_200_000).to_iso8601(), "2026-03-01T00:00:00.000Z");
    }
}
