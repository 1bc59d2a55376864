//! Request state travels through the client, so it is sealed: a MAC over the state, its expiry, and the request it
//! belongs to. The client can read it but cannot change it or use it elsewhere.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac_sha256::HMAC;

use crate::{error::RpcError, time::UnixMillis};

const MAC: usize = 32;
const EXPIRY: usize = 8;

/// The context that a state is bound to.
pub(crate) struct Binding<'a> {
    pub(crate) principal: Option<&'a str>,
    pub(crate) method: &'a str,
    pub(crate) name: &'a str,
}

fn mac(key: &[u8], binding: &Binding<'_>, sealed: &[u8]) -> [u8; MAC] {
    let mut mac = HMAC::new(key);
    for part in
        [binding.principal.unwrap_or("").as_bytes(), binding.method.as_bytes(), binding.name.as_bytes()]
    {
        mac.update((part.len() as u64).to_be_bytes());
        mac.update(part);
    }
    mac.update([u8::from(binding.principal.is_some())]);
    mac.update(sealed);
    mac.finalize()
}

pub(crate) fn seal(key: &[u8], binding: &Binding<'_>, expires: UnixMillis, state: &[u8]) -> String {
    let mut sealed = Vec::with_capacity(EXPIRY + state.len() + MAC);
    sealed.extend_from_slice(&expires.0.to_be_bytes());
    sealed.extend_from_slice(state);
    let mac = mac(key, binding, &sealed);
    sealed.extend_from_slice(&mac);
    URL_SAFE_NO_PAD.encode(sealed)
}

pub(crate) fn open(
    key: &[u8],
    binding: &Binding<'_>,
    now: UnixMillis,
    text: &str,
) -> Result<Vec<u8>, RpcError> {
    let refused = || RpcError::invalid_params("\"requestState\" is not valid for this request");
    let mut sealed = URL_SAFE_NO_PAD.decode(text).map_err(|_| refused())?;
    let body = sealed.len().checked_sub(MAC).filter(|n| *n >= EXPIRY).ok_or_else(refused)?;
    let given = sealed.split_off(body);
    // compared without an early exit, so that timing tells nothing
    let differs = mac(key, binding, &sealed).iter().zip(&given).fold(0, |d, (a, b)| d | (a ^ b));
    if differs != 0 {
        return Err(refused());
    }
    let state = sealed.split_off(EXPIRY);
    let expires = u64::from_be_bytes(sealed.try_into().map_err(|_| refused())?);
    if now.0 > expires { Err(refused()) } else { Ok(state) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const B: Binding<'_> = Binding { principal: Some("ann"), method: "tools/call", name: "t" };

    #[test]
    fn a_sealed_state_opens_only_unchanged_in_time_and_in_place() {
        let sealed = seal(b"key", &B, UnixMillis(100), b"state");
        assert_eq!(open(b"key", &B, UnixMillis(100), &sealed).expect("opens"), b"state");
        assert!(open(b"key", &B, UnixMillis(101), &sealed).is_err());
        assert!(open(b"yek", &B, UnixMillis(0), &sealed).is_err());
        assert!(open(b"key", &Binding { name: "u", ..B }, UnixMillis(0), &sealed).is_err());
        assert!(open(b"key", &Binding { principal: None, ..B }, UnixMillis(0), &sealed).is_err());
        for n in 0..sealed.len() {
            let mut changed = sealed.clone().into_bytes();
            changed[n] = if changed[n] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).expect("ascii");
            assert!(open(b"key", &B, UnixMillis(0), &changed).is_err(), "{n}");
        }
        assert!(open(b"key", &B, UnixMillis(0), "").is_err());
    }
}
