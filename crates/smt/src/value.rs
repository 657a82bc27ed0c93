//! Values.

pub mod ieee;
