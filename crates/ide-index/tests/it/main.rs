//! Holds the index to what its fixtures claim: every file below `src/lang/*/fixtures`, each a project in one string.

mod fixtures;
