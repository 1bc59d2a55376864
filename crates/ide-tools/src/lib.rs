//! The tool catalogue: arguments, schemas, output and errors as text an agent can act on.
