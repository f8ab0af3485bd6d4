//! Mistakes in fat-tree descriptions.
