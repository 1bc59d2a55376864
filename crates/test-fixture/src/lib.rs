//! Whole small projects in one string, with claims about them.
