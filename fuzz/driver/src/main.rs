//! libFuzzer around one target, which the variable `FUZZ_TARGET` names. Started by `cargo xtask fuzz`.
#![no_main]

use std::sync::OnceLock;

use fuzz::Target;

fn target() -> &'static Target {
    static TARGET: OnceLock<&Target> = OnceLock::new();
    TARGET.get_or_init(|| {
        let name = std::env::var("FUZZ_TARGET").expect("FUZZ_TARGET names the target");
        fuzz::TARGETS.iter().find(|t| t.name == name).expect("FUZZ_TARGET is one of fuzz::TARGETS")
    })
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| (target().run)(data));
