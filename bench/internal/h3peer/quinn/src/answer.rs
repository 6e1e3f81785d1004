//! The answers of the suite, which the packages peer and h3peer define.

use std::{fs, io, path::Path, time::SystemTime};

use bytes::{Buf, Bytes};
use h3::{quic::BidiStream, server::RequestStream};
use http::{Request, Response, StatusCode, header};

use crate::Failure;

const TEXT: &str = "text/plain; charset=utf-8";
const BINARY: &str = "application/octet-stream";

/// The constant answers: path and content type. The body is in the file with the path's name.
const CONSTANT: [(&str, &str); 4] = [
    ("/plaintext", TEXT),
    ("/16k", BINARY),
    ("/64k", BINARY),
    ("/1m", BINARY),
];

const MIB: usize = 1 << 20;

/// How much of a long answer is written at once.
const PIECE: usize = 64 << 10;

/// What the server answers.
pub struct Answers {
    bodies: Vec<Bytes>, // in the order of CONSTANT
    piece: Bytes,
}

impl Answers {
    /// Reads the bodies of the constant answers from their files.
    pub fn read(dir: &Path) -> io::Result<Answers> {
        let read = |(path, _): &(&str, &str)| fs::read(dir.join(&path[1..])).map(Bytes::from);
        let bodies = CONSTANT.iter().map(read).collect::<io::Result<_>>()?;
        Ok(Answers {
            bodies,
            piece: b"0123456789abcdef".repeat(PIECE / 16).into(),
        })
    }

    /// Answers one request.
    pub async fn give<S: BidiStream<Bytes>>(
        &self,
        request: Request<()>,
        mut stream: RequestStream<S, Bytes>,
    ) -> Result<(), Failure> {
        match request.uri().path() {
            "/post" => {
                let mut received = 0;
                while let Some(data) = stream.recv_data().await? {
                    received += data.remaining();
                }
                whole(&mut stream, TEXT, received.to_string().into()).await?;
            }
            "/stream" => match request.uri().query().and_then(length) {
                Some(length) => self.pieces(&mut stream, length).await?,
                None => refuse(&mut stream, StatusCode::BAD_REQUEST).await?,
            },
            path => match CONSTANT.iter().position(|(known, _)| *known == path) {
                Some(i) => whole(&mut stream, CONSTANT[i].1, self.bodies[i].clone()).await?,
                None => refuse(&mut stream, StatusCode::NOT_FOUND).await?,
            },
        }
        Ok(stream.finish().await?)
    }

    /// Answers with so many bytes, a multiple of a piece's length, piece by piece.
    async fn pieces<S: BidiStream<Bytes>>(
        &self,
        stream: &mut RequestStream<S, Bytes>,
        length: usize,
    ) -> Result<(), Failure> {
        stream.send_response(head(BINARY, length)?).await?;
        for _ in 0..length / PIECE {
            stream.send_data(self.piece.clone()).await?;
        }
        Ok(())
    }
}

/// Answers with a body that is in memory.
async fn whole<S: BidiStream<Bytes>>(
    stream: &mut RequestStream<S, Bytes>,
    kind: &str,
    body: Bytes,
) -> Result<(), Failure> {
    stream.send_response(head(kind, body.len())?).await?;
    Ok(stream.send_data(body).await?)
}

/// Answers that there is nothing, and why.
async fn refuse<S: BidiStream<Bytes>>(
    stream: &mut RequestStream<S, Bytes>,
    status: StatusCode,
) -> Result<(), Failure> {
    let head = Response::builder().status(status).body(())?;
    Ok(stream.send_response(head).await?)
}

/// Returns the head of an answer.
fn head(kind: &str, length: usize) -> http::Result<Response<()>> {
    Response::builder()
        .header(header::CONTENT_TYPE, kind)
        .header(header::CONTENT_LENGTH, length)
        .header(header::DATE, httpdate::fmt_http_date(SystemTime::now()))
        .body(())
}

/// Returns the length in bytes that a query asks for in MiB, if it does.
fn length(query: &str) -> Option<usize> {
    let mib: usize = query.strip_prefix("mib=")?.parse().ok()?;
    (mib < 1024).then_some(mib * MIB)
}
