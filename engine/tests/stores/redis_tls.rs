//! A real server that speaks TLS alone, with certificates of an authority that the test makes.

use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use oar_engine::state::{RedisOptions, RedisStore};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use tempfile::TempDir;

use crate::contract;
use crate::redis::{free_port, skip, spawn_with};

/// An authority of this test alone.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // Certificates of the same name as their issuer would pass for self-signed.
        params.distinguished_name.push(DnType::CommonName, "an authority of the tests");
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn pem(&self) -> String {
        self.0.pem()
    }

    /// A certificate for `name` and its key.
    fn certify(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new([name.to_owned()]).unwrap();
        (params.signed_by(&key, &self.0).unwrap().pem(), key.serialize_pem())
    }
}

/// A server that asks its clients for certificates.
struct Server {
    child: Child,
    port: u16,
    authority: Authority,
    _directory: TempDir,
}

impl Server {
    fn start() -> Option<Self> {
        let (authority, directory, port) = (Authority::new(), TempDir::new().unwrap(), free_port());
        let (certificate, key) = authority.certify("127.0.0.1");
        let file = |name: &str, text: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let files = [
            file("ca.pem", &authority.pem()),
            file("cert.pem", &certificate),
            file("key.pem", &key),
        ];
        let mut child = spawn(port, &files, directory.path());
        // A server that was built without TLS ends at once, and says so on its standard output.
        let began = Instant::now();
        while let Some(own) = &mut child {
            if own.try_wait().unwrap().is_some() {
                child = None;
            } else if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
                break;
            }
            assert!(began.elapsed() < Duration::from_secs(30), "the server does not answer");
            std::thread::sleep(Duration::from_millis(20));
        }
        if child.is_none() {
            skip("no server that speaks TLS is installed");
        }
        Some(Self { child: child?, port, authority, _directory: directory })
    }

    fn address(&self) -> String {
        format!("rediss://127.0.0.1:{}/", self.port)
    }
}

fn spawn(
    port: u16,
    [authority, certificate, key]: &[String; 3],
    directory: &Path,
) -> Option<Child> {
    let port = port.to_string();
    let tls = ["--port", "0", "--tls-port", &port, "--tls-auth-clients", "yes"];
    let files = ["--tls-ca-cert-file", authority, "--tls-cert-file", certificate];
    let arguments = [&tls[..], &files[..], &["--tls-key-file", key]].concat();
    spawn_with(&arguments, directory)
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _ended = self.child.wait();
    }
}

#[test]
fn keeps_the_contract_over_tls() {
    let Some(server) = Server::start() else { return };
    let (certificate, key) = server.authority.certify("client");
    let options = RedisOptions::new()
        .deadline(Duration::from_secs(60))
        .credentials(None, "secret")
        .authorities(server.authority.pem())
        .certificate(certificate, key);
    let told = format!("{options:?}");
    assert!(!told.contains("secret") && !told.contains("KEY"), "{told}");
    contract::holds(&|| Box::new(RedisStore::with(&server.address(), options.clone()).unwrap()));
}

/// Nobody is trusted who cannot show that they are who they say.
#[test]
fn a_stranger_is_refused_on_either_side() {
    let Some(server) = Server::start() else { return };
    let options =
        || RedisOptions::new().deadline(Duration::from_millis(500)).credentials(None, "secret");
    let own = server.authority.certify("client");
    let stranger = Authority::new();
    let strange = stranger.certify("client");
    let cases = [
        // The machine's own authorities do not know this one.
        ("server", options().certificate(own.0.clone(), own.1.clone())),
        ("server", options().authorities(stranger.pem()).certificate(own.0, own.1)),
        ("client", options().authorities(server.authority.pem())),
        ("client", options().authorities(server.authority.pem()).certificate(strange.0, strange.1)),
    ];
    for (who, options) in cases {
        let store = RedisStore::with(&server.address(), options).unwrap();
        let error = contract::try_read(&store, "s", contract::key("t/R", None)).unwrap_err();
        assert!(!error.to_string().contains("secret"), "{who}: {error}");
    }
}

#[test]
fn what_cannot_be_a_certificate_is_refused() {
    let (certificate, key) = Authority::new().certify("client");
    let refused = |address: &str, options: RedisOptions| {
        RedisStore::with(address, options).unwrap_err().to_string()
    };
    let address = "rediss://127.0.0.1/";
    let told = refused(address, RedisOptions::new().authorities("no certificate"));
    assert!(told.contains("there is no certificate in PEM form"), "{told}");
    let told = refused(address, RedisOptions::new().certificate(certificate.clone(), "no key"));
    assert!(told.contains("private key"), "{told}");
    let plain = RedisOptions::new().certificate(certificate, key);
    let told = refused("redis://127.0.0.1/", plain);
    assert!(told.contains("rediss://"), "{told}");
}
