//! The index's knowledge of implementations and modules, available without the facts of the files that they
//! stand in.

use std::convert::Infallible;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::codec::Corrupt;
use crate::facts::DefId;
use crate::world::GlobalDef;

/// The role of a declaration in implementations under some name; other names are of type `N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImplRole<N> {
    /// An implementation for a type that shows the name.
    SelfType,
    /// An implementation of a trait that shows the name.
    Trait(Shown),
    /// A member of this implementation of a trait that has the name.
    Member(DefId, Shown),
    /// A member of this implementation of no trait that has the name.
    Inherent(DefId, Shown),
    /// A member of this trait that has the name; what the trait is called.
    TraitMember(DefId, N),
    /// An alias, called like this, of a type that shows the name.
    Alias(N),
}

/// A hash of the name that the type of an implementation shows: implementations with others are not for the same type unless
/// types have other names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shown(u32);

impl Shown {
    /// Any name.
    pub const ANY: Self = Self(0);
    const BITS: u32 = 21;

    pub fn name(name: &str) -> Self {
        let hash = xxh3_64(name.as_bytes()) as u32 & ((1 << Self::BITS) - 1);
        Self(hash.max(1))
    }

    pub(crate) fn packed(self) -> u64 {
        u64::from(self.0)
    }

    pub(crate) fn unpacked(packed: u64) -> Self {
        Self(packed as u32 & ((1 << Self::BITS) - 1))
    }
}

/// Types that show the first may show the second instead: by an alias, or by an import.
pub type OtherName = (Shown, Shown);

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

impl<N> ImplRole<N> {
    /// Whether the name is that of a member.
    pub(crate) fn is_member(&self) -> bool {
        matches!(self, Self::Member(..) | Self::Inherent(..) | Self::TraitMember(..))
    }

    pub(crate) fn map<M>(self, name: impl FnOnce(N) -> M) -> ImplRole<M> {
        let Ok(role) = self.try_map(|alias| Ok::<_, Infallible>(name(alias)));
        role
    }

    /// [`Self::map`], where a name may be damaged.
    pub(crate) fn try_map<M, E>(self, name: impl FnOnce(N) -> Result<M, E>) -> Result<ImplRole<M>, E> {
        Ok(match self {
            Self::Alias(alias) => ImplRole::Alias(name(alias)?),
            Self::SelfType => ImplRole::SelfType,
            Self::Trait(shown) => ImplRole::Trait(shown),
            Self::Member(owner, shown) => ImplRole::Member(owner, shown),
            Self::Inherent(owner, shown) => ImplRole::Inherent(owner, shown),
            Self::TraitMember(owner, of) => ImplRole::TraitMember(owner, name(of)?),
        })
    }
}

impl ImplRole<u32> {
    /// Two numbers for [`Self::unpacked`].
    pub(crate) fn packed(self, def: DefId) -> [u64; 2] {
        // An owner mostly stands a little before its member.
        let before = |owner: DefId| u64::from(def.0.wrapping_sub(owner.0));
        let member = |owner, shown: Shown| before(owner) << Shown::BITS | shown.packed();
        let (role, other) = match self {
            Self::SelfType => (0, 0),
            Self::Trait(shown) => (1, shown.packed()),
            Self::Member(owner, shown) => (2, member(owner, shown)),
            Self::TraitMember(owner, name) => (3, before(owner) << u32::BITS | u64::from(name)),
            Self::Alias(name) => (4, u64::from(name)),
            Self::Inherent(owner, shown) => (5, member(owner, shown)),
        };
        [u64::from(def.0) << 3 | role, other]
    }

    pub(crate) fn unpacked([packed, other]: [u64; 2]) -> Result<(DefId, Self), Corrupt> {
        let number = |raw: u64| u32::try_from(raw).map_err(|_| Corrupt);
        let def = DefId(number(packed >> 3)?);
        let owner = |before: u64| Ok(DefId(def.0.wrapping_sub(number(before)?)));
        let shown = Shown::unpacked(other);
        let role = match packed & 7 {
            0 => Self::SelfType,
            1 => Self::Trait(shown),
            2 => Self::Member(owner(other >> Shown::BITS)?, shown),
            3 => Self::TraitMember(owner(other >> u32::BITS)?, other as u32),
            4 => Self::Alias(number(other)?),
            5 => Self::Inherent(owner(other >> Shown::BITS)?, shown),
            _ => return Err(Corrupt),
        };
        Ok((def, role))
    }
}

/// A module that a file declares: one with a body, or one that is a file of its own; or a file that is included.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeclaredModule {
    /// `None` for an included file, whose items belong to the module around.
    pub def: Option<DefId>,
    pub name: Box<str>,
    /// The path that the declaration gives for its file.
    pub path: Option<Box<str>>,
    /// The module with a body that it is declared in.
    pub around: Option<DefId>,
    pub has_body: bool,
    /// Declared inside of a module with a body or of a function.
    pub is_nested: bool,
    /// Declared inside of a function.
    pub is_local: bool,
}
