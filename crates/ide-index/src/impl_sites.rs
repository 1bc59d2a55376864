//! What an index knows of implementations and modules without the facts of the files that they stand in.

use std::sync::Arc;

use crate::codec::Corrupt;
use crate::facts::DefId;
use crate::world::GlobalDef;

/// What a declaration has to do with implementations under some name; other names are of type `N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImplRole<N> {
    /// An implementation for a type that shows the name.
    SelfType,
    /// An implementation of a trait that shows the name.
    Trait,
    /// A member of this implementation that has the name.
    Member(DefId),
    /// A member of this trait that has the name.
    TraitMember(DefId),
    /// An alias, called like this, of a type that shows the name.
    Alias(N),
}

/// A declaration under a name that it has or shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImplSite {
    pub at: GlobalDef,
    pub role: ImplRole<Arc<str>>,
}

/// The same within a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileImplSite<N> {
    pub(crate) name: N,
    pub(crate) def: DefId,
    pub(crate) role: ImplRole<N>,
}

impl<N: Copy> ImplRole<N> {
    pub(crate) fn map<M>(self, name: impl FnOnce(N) -> M) -> ImplRole<M> {
        match self {
            Self::SelfType => ImplRole::SelfType,
            Self::Trait => ImplRole::Trait,
            Self::Member(owner) => ImplRole::Member(owner),
            Self::TraitMember(owner) => ImplRole::TraitMember(owner),
            Self::Alias(alias) => ImplRole::Alias(name(alias)),
        }
    }
}

impl ImplRole<u32> {
    /// Two numbers for [`Self::unpacked`]; what `def` stands in has a smaller number than it.
    pub(crate) fn packed(self, def: DefId) -> [u64; 2] {
        let (role, other) = match self {
            Self::SelfType => (0, 0),
            Self::Trait => (1, 0),
            Self::Member(owner) => (2, def.0.wrapping_sub(owner.0)),
            Self::TraitMember(owner) => (3, def.0.wrapping_sub(owner.0)),
            Self::Alias(name) => (4, name),
        };
        [u64::from(def.0) << 3 | role, u64::from(other)]
    }

    pub(crate) fn unpacked(packed: u64, other: u32) -> Result<(DefId, Self), Corrupt> {
        let def = DefId(u32::try_from(packed >> 3).map_err(|_| Corrupt)?);
        let owner = DefId(def.0.wrapping_sub(other));
        let role = match packed & 7 {
            0 => Self::SelfType,
            1 => Self::Trait,
            2 => Self::Member(owner),
            3 => Self::TraitMember(owner),
            4 => Self::Alias(other),
            _ => return Err(Corrupt),
        };
        Ok((def, role))
    }
}

/// A module that a file declares: one with a body, or one that is a file of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeclaredModule {
    pub def: DefId,
    pub name: Box<str>,
    /// What is said of where its file lies.
    pub path: Option<Box<str>>,
    /// The module with a body that it is declared in.
    pub around: Option<DefId>,
    pub has_body: bool,
    /// Declared inside of a module with a body or of a function.
    pub is_nested: bool,
    /// Declared inside of a function.
    pub is_local: bool,
}
