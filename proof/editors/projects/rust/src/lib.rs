//! Keeps carts.

pub mod cart;
pub mod pricing;
pub mod report;
