#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| oar_fuzz::json(data));
