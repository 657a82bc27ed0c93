//! SV-LIB.
