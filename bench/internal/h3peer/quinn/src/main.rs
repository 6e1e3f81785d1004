//! An HTTP/3 server on quinn and h3 that gives the answers of the suite http3. It prints its address, and serves until its
//! standard input ends.
//!
//! Usage: quinn-peer HOST:PORT DIR    where DIR has the certificate, its key, and the bodies of the answers
//!        quinn-peer --version

mod answer;

use std::{env, error::Error, io::Write, net::SocketAddr, path::Path, sync::Arc, time::Duration};

use quinn::crypto::rustls::QuicServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use tokio::io::AsyncReadExt;

use answer::Answers;

type Failure = Box<dyn Error + Send + Sync>;

/// The idle timeout, which is longer than any measurement.
const KEEP_IDLE: Duration = Duration::from_secs(600);

/// Without arguments tokio has as many threads as the process has cores, which counts those that taskset leaves to it.
#[tokio::main]
async fn main() -> Result<(), Failure> {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--version"] => println!("{}", version()),
        [addr, dir] => serve(addr.parse()?, Path::new(dir)).await?,
        _ => return Err("usage: quinn-peer HOST:PORT DIR".into()),
    }
    Ok(())
}

/// Returns the version of quinn that Cargo.lock has.
fn version() -> String {
    let mut lines = include_str!("../Cargo.lock")
        .lines()
        .skip_while(|line| *line != r#"name = "quinn""#);
    let line = lines.nth(1).unwrap_or_default();
    format!(
        "quinn {}",
        line.trim_start_matches("version = ").trim_matches('"')
    )
}

/// Serves until standard input ends.
async fn serve(addr: SocketAddr, dir: &Path) -> Result<(), Failure> {
    let answers = Arc::new(Answers::read(dir)?);
    let endpoint = quinn::Endpoint::server(config(dir)?, addr)?;
    println!("{}", endpoint.local_addr()?);
    std::io::stdout().flush()?;

    tokio::spawn(async move {
        while let Some(incoming) = endpoint.accept().await {
            let answers = answers.clone();
            tokio::spawn(async move {
                // An error says that the client has gone, which is how every measurement ends.
                let _ = converse(incoming, answers).await;
            });
        }
    });
    tokio::io::stdin().read_to_end(&mut Vec::new()).await?;
    Ok(())
}

/// Answers the requests of a connection, each in a task of its own.
async fn converse(incoming: quinn::Incoming, answers: Arc<Answers>) -> Result<(), Failure> {
    let connection = h3_quinn::Connection::new(incoming.await?);
    let mut requests = h3::server::Connection::<_, bytes::Bytes>::new(connection).await?;
    while let Some(resolver) = requests.accept().await? {
        let answers = answers.clone();
        tokio::spawn(async move {
            let (request, stream) = resolver.resolve_request().await?;
            answers.give(request, stream).await
        });
    }
    Ok(())
}

/// Returns quinn's defaults, but for the idle timeout, with the certificate in dir.
fn config(dir: &Path) -> Result<quinn::ServerConfig, Failure> {
    let certificate = CertificateDer::from_pem_file(dir.join("certificate.pem"))?;
    let key = PrivateKeyDer::from_pem_file(dir.join("key.pem"))?;
    let mut tls = rustls::ServerConfig::builder_with_provider(
        rustls::crypto::aws_lc_rs::default_provider().into(),
    )
    .with_protocol_versions(&[&rustls::version::TLS13])?
    .with_no_client_auth()
    .with_single_cert(vec![certificate], key)?;
    tls.alpn_protocols = vec![b"h3".to_vec()];
    tls.max_early_data_size = u32::MAX; // as the other peers, which take 0-RTT

    let mut transport = quinn::TransportConfig::default();
    transport.max_idle_timeout(Some(KEEP_IDLE.try_into()?));
    let mut config = quinn::ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(tls)?));
    config.transport_config(Arc::new(transport));
    Ok(config)
}
