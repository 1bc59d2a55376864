//! The Model Context Protocol as a sans-IO state machine, every published revision, both sides.
