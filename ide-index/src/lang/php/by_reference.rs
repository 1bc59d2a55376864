//! Arguments of PHP that functions take by reference.

use crate::facts::{DefFlags, DefId, RefId};
use crate::resolve::{FileView, Resolver};

/// Functions of the language that take arguments by reference, with the places of those; `*` stands for all behind.
const TAKERS: &str = "array_multisort:0* array_pop:0 array_push:0 array_shift:0 array_splice:0 array_unshift:0 \
    array_walk:0 array_walk_recursive:0 arsort:0 asort:0 end:0 each:0 next:0 prev:0 reset:0 krsort:0 ksort:0 \
    natcasesort:0 natsort:0 rsort:0 shuffle:0 sort:0 uasort:0 uksort:0 usort:0 settype:0 curl_multi_exec:1 \
    dns_get_record:23 exec:12 passthru:1 system:1 fscanf:2* sscanf:2* flock:2 fsockopen:23 pfsockopen:23 \
    getimagesize:1 getimagesizefromstring:1 getmxrr:12 getopt:2 headers_sent:01 is_callable:2 mb_convert_variables:2* \
    mb_parse_str:1 parse_str:1 openssl_csr_export:1 openssl_csr_new:1 openssl_encrypt:5 openssl_open:1 \
    openssl_pkey_export:1 openssl_private_decrypt:1 openssl_private_encrypt:1 openssl_public_decrypt:1 \
    openssl_public_encrypt:1 openssl_seal:125 openssl_sign:1 openssl_x509_export:1 pcntl_wait:0 pcntl_waitpid:1 \
    preg_match:2 preg_match_all:2 preg_replace:4 preg_replace_callback:4 preg_replace_callback_array:4 \
    preg_filter:4 proc_open:2 similar_text:2 socket_recv:1 socket_recvfrom:145 socket_select:012 \
    stream_select:012 stream_socket_accept:2 stream_socket_client:12 stream_socket_server:12 \
    str_ireplace:3 str_replace:3";

/// Whether a call gives its argument at this place, or by this name, to a parameter that is a reference.
pub(crate) fn takes_reference(
    rx: &Resolver,
    file: &FileView,
    callee: RefId,
    place: usize,
    name: Option<&str>,
) -> bool {
    let mut defs =
        rx.resolve(file.global_ref(callee)).resolution.defs().collect::<Vec<_>>().into_iter().peekable();
    if defs.peek().is_none() {
        return file.reference(callee).receiver.is_none() && is_taker(file.ref_name(callee), place);
    }
    defs.any(|def| {
        let home = rx.file(def.file);
        let params: Vec<DefId> = home.list(home.def(def.def).params).collect();
        let last = params.last().filter(|last| home.has_flag(**last, DefFlags::VARARG));
        let param = match name {
            Some(name) => params.iter().find(|param| home.def_name(**param).trim_start_matches('$') == name),
            None => params.get(place).or(last),
        };
        param.is_some_and(|param| home.has_flag(*param, DefFlags::MUT))
    })
}

fn is_taker(name: &str, place: usize) -> bool {
    let name = name.trim_start_matches('\\').to_ascii_lowercase();
    let places =
        TAKERS.split_ascii_whitespace().find_map(|entry| entry.strip_prefix(&*name)?.strip_prefix(':'));
    places.is_some_and(|places| {
        let first = places.as_bytes().first().map_or(0, |digit| usize::from(digit - b'0'));
        places.bytes().any(|digit| usize::from(digit) == place + usize::from(b'0'))
            || places.ends_with('*') && place >= first
    })
}
