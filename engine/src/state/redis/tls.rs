//! TLS to the server (feature `redis-tls`).

use redis::{
    Client, ClientTlsConfig, ConnectionAddr, ConnectionInfo, ErrorKind, RedisResult,
    TlsCertificates,
};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

/// What is trusted and what is shown; everything in PEM form.
#[derive(Clone, Default)]
pub(super) struct TlsOptions {
    pub(super) authorities: Option<Vec<u8>>,
    /// A certificate and its key.
    pub(super) certificate: Option<(Vec<u8>, Vec<u8>)>,
}

/// A client, over TLS where the address asks for it.
pub(super) fn client(info: ConnectionInfo, options: &TlsOptions) -> RedisResult<Client> {
    if matches!(info.addr, ConnectionAddr::TcpTls { .. }) {
        choose_provider();
    }
    if options.authorities.is_none() && options.certificate.is_none() {
        return Client::open(info);
    }
    let certificate = options.certificate.as_ref();
    for pem in options.authorities.iter().chain(certificate.map(|(pem, _)| pem)) {
        // Without this, nothing would be trusted, which shows at the first request only.
        if CertificateDer::pem_slice_iter(pem).next().is_none() {
            return Err(
                (ErrorKind::InvalidClientConfig, "there is no certificate in PEM form").into()
            );
        }
    }
    let client_tls = certificate.map(|(certificate, key)| ClientTlsConfig {
        client_cert: certificate.clone(),
        client_key: key.clone(),
    });
    let root_cert = options.authorities.clone();
    Client::build_with_tls(info, TlsCertificates { client_tls, root_cert })
}

/// The redis crate takes the cryptography of the whole process, and panics where there is none.
/// What the program has chosen stays; should two threads choose at once, one of them has.
fn choose_provider() {
    if CryptoProvider::get_default().is_none() {
        let _chosen_meanwhile = ring::default_provider().install_default();
    }
}
