//! The words of code intelligence: languages, positions, symbols, answers, the backend traits.
