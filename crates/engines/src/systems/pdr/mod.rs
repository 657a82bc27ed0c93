//! IC3 on circuits of bits, with a SAT solver: for systems with finitely many states.

mod bits;
mod sat;
