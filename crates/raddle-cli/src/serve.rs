//! A view over HTTP, for a browser on this machine.
//!
//! It listens on the loopback alone and answers those who know the key in its address. A page of another
//! site that has its own name lead here (DNS rebinding) says so in `Host`, and is refused.

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::X_CONTENT_TYPE_OPTIONS;
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderValue, REFERRER_POLICY};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use raddle::view::Served;
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;

const TEXT: &str = "text/plain; charset=utf-8";
const BYTES: &str = "application/octet-stream";
/// How long an interruption may wait to be seen.
const LOOK: Duration = Duration::from_millis(100);

/// Serves until `stop`. `ready` is told the address.
pub(super) fn serve(
    served: Served,
    port: u16,
    stop: &AtomicBool,
    ready: impl FnOnce(&str),
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let site = Arc::new(Site::new(served, key()?, listener.local_addr()?));
        ready(&site.url());
        while !stop.load(Ordering::Relaxed) {
            let stream = match tokio::time::timeout(LOOK, listener.accept()).await {
                Ok(Ok((stream, _))) => stream,
                // There may be no descriptor free until a client goes.
                Ok(Err(_)) => {
                    tokio::time::sleep(LOOK).await;
                    continue;
                }
                Err(_) => continue,
            };
            let site = site.clone();
            let service = service_fn(move |request: Request<Incoming>| {
                let host = request.headers().get(HOST).and_then(|own| own.to_str().ok());
                let answer = site.answer(request.method(), request.uri().path(), host);
                async { Ok::<_, Infallible>(answer) }
            });
            let mut connection = hyper::server::conn::http1::Builder::new();
            // With a clock, those who say nothing for 30 seconds are let go.
            connection.timer(TokioTimer::new());
            // A client that goes away in the middle of an answer is none of our business.
            tokio::spawn(connection.serve_connection(TokioIo::new(stream), service));
        }
        Ok(())
    })
}

/// 128 random bits in hexadecimal.
fn key() -> io::Result<String> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits).map_err(io::Error::other)?;
    Ok(bits.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What is served, and to whom.
struct Site {
    served: Arc<Served>,
    key: String,
    address: SocketAddr,
}

/// A view's numbers as a body, without a copy.
struct Blocks(Arc<Served>);

impl AsRef<[u8]> for Blocks {
    fn as_ref(&self) -> &[u8] {
        self.0.blocks()
    }
}

impl Site {
    fn new(served: Served, key: String, address: SocketAddr) -> Self {
        Self { served: Arc::new(served), key, address }
    }

    fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.key)
    }

    fn answer(&self, method: &Method, path: &str, host: Option<&str>) -> Response<Full<Bytes>> {
        let port = self.address.port();
        let name = host.and_then(|host| match host.strip_suffix(&format!(":{port}")) {
            None if port == 80 => Some(host),
            name => name,
        });
        if !matches!(name, Some("127.0.0.1" | "localhost")) {
            return told(StatusCode::FORBIDDEN, "this server answers its own machine alone");
        }
        if ![Method::GET, Method::HEAD].contains(method) {
            let mut answer =
                told(StatusCode::METHOD_NOT_ALLOWED, "it can be read, and nothing else");
            let _ = answer.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            return answer;
        }
        let below = path.strip_prefix('/').and_then(|path| path.strip_prefix(self.key.as_str()));
        let Some(below) = below.and_then(|path| path.strip_prefix('/')) else {
            return told(
                StatusCode::NOT_FOUND,
                "the address that raddle view wrote has a key in it",
            );
        };
        match below {
            "" => {
                let page = Bytes::from(self.served.page().to_owned());
                body(StatusCode::OK, "text/html; charset=utf-8", page)
            }
            "blocks" => body(StatusCode::OK, BYTES, Bytes::from_owner(Blocks(self.served.clone()))),
            _ => match below.strip_prefix("flow/").and_then(numbers) {
                Some((run, flow)) => self.flow(run, flow),
                None => told(StatusCode::NOT_FOUND, "nothing is here"),
            },
        }
    }

    fn flow(&self, run: usize, flow: u64) -> Response<Full<Bytes>> {
        match self.served.flow(run, flow) {
            Ok(Some(bytes)) => body(StatusCode::OK, BYTES, Bytes::from(bytes)),
            Ok(None) => told(StatusCode::NOT_FOUND, "there is no such run"),
            Err(error) => told(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
        }
    }
}

/// `RUN/FLOW`.
fn numbers(path: &str) -> Option<(usize, u64)> {
    let (run, flow) = path.split_once('/')?;
    Some((run.parse().ok()?, flow.parse().ok()?))
}

fn told(status: StatusCode, why: &str) -> Response<Full<Bytes>> {
    body(status, TEXT, Bytes::from(format!("{why}\n")))
}

fn body(status: StatusCode, kind: &'static str, bytes: Bytes) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::new(bytes));
    *answer.status_mut() = status;
    let headers = [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    for (name, value) in headers {
        let _ = answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_this_machine_with_its_port_are_answered() {
        let with_port = |port: u16| {
            let runs = Served::new(Vec::new()).expect("nothing to read");
            Site::new(runs, "key".into(), (Ipv4Addr::LOCALHOST, port).into())
        };
        let status = |site: &Site, host: Option<&str>| {
            site.answer(&Method::GET, "/key/blocks", host).status().as_u16()
        };
        let site = with_port(8_000);
        assert_eq!(status(&site, Some("127.0.0.1:8000")), 200);
        assert_eq!(status(&site, Some("localhost:8000")), 200);
        for other in
            ["127.0.0.1", "127.0.0.1:80", "localhost:8001", "[::1]:8000", "evil.example:8000"]
        {
            assert_eq!(status(&site, Some(other)), 403, "{other}");
        }
        assert_eq!(status(&site, None), 403);
        // Browsers leave out the port that is HTTP's own.
        let plain = with_port(80);
        assert_eq!(status(&plain, Some("localhost")), 200);
        assert_eq!(status(&plain, Some("evil.example")), 403);
    }
}
