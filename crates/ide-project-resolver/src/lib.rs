//! Which project, which content root, is this path inside: project resolution and path containment.
