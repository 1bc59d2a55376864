//! The listener on a real socket.

use mcp_transport_http::{Config, serve};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::oneshot,
};

use crate::client::Client;

#[tokio::test]
async fn requests_are_answered_on_one_connection_until_the_listener_shuts_down() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (stop, stopped) = oneshot::channel::<()>();
    let service = Client::new(Config::default().sessions(false)).service;
    let server = tokio::spawn(serve(listener, move |request| service.handle(request), async move {
        drop(stopped.await);
    }));
    let mut socket = TcpStream::connect(address).await.expect("connects");
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for _ in 0..2 {
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        socket.write_all(request.as_bytes()).await.expect("written");
        let mut got = String::new();
        while !got.ends_with("\"result\":{}}") {
            let mut chunk = [0; 512];
            let n = socket.read(&mut chunk).await.expect("read");
            assert!(n > 0, "closed after {got}");
            got.push_str(std::str::from_utf8(&chunk[..n]).expect("text"));
        }
        assert!(got.starts_with("HTTP/1.1 200 OK\r\n") && got.contains("content-length: 36\r\n"), "{got}");
    }
    stop.send(()).expect("still running");
    server.await.expect("no panic");
    assert_eq!(socket.read(&mut [0; 1]).await.expect("the end"), 0);
}
