//! The one-level queries of the catalogue, over a resolver. No language is named here.
