//! The disk side of the index: walking, watching, mapped segments, journal, freshness, text search.
