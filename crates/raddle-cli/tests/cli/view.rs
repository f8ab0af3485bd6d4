//! `raddle view`: a page of runs, and what is said where there is none.

use super::{SMALL, SWEEP, Scratch, command, names, raddle};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Child;

#[test]
fn a_page_shows_the_first_two_runs_or_those_asked_for() {
    let scratch = Scratch::new(&format!("{SMALL}[record]\nmap = true\n{SWEEP}seed = \"1..2\"\n"));
    let (out, page) = (scratch.text("out"), scratch.text("page.html"));
    let swept = raddle(&["sweep", &scratch.scenario(), "--out", &out]);
    assert_eq!(swept.status, 0, "{}", swept.err);
    let list = raddle(&["view", &out, "--list"]);
    let names: Vec<&str> = list.out.lines().map(str::trim).collect();
    assert_eq!(names, ["1  ops, seed 1", "2  ops, seed 2", "3  reps, seed 1", "4  reps, seed 2"]);
    let first = raddle(&["view", &out, "--out", &page]);
    assert_eq!(first.status, 0, "{}", first.err);
    assert!(first.out.contains("of ops, seed 1 and reps, seed 1"), "{}", first.out);
    assert!(first.err.contains("4 runs"), "{}", first.err);
    let others = raddle(&["view", &out, "--runs", "3,2", "--out", &page]);
    assert!(others.out.contains("of reps, seed 1 and ops, seed 2"), "{}", others.out);
    let text = fs::read_to_string(&page).unwrap();
    assert!(text.starts_with("<!doctype html>") && text.contains("raddle.view/1"));
}

#[test]
fn runs_without_a_map_are_run_once_more_for_the_page_alone() {
    let scratch = Scratch::new(&format!("{SMALL}{SWEEP}seed = \"1..2\"\n"));
    let (out, page) = (scratch.text("out"), scratch.text("page.html"));
    let said = raddle(&["compare", &scratch.scenario(), "--out", &out]);
    assert_eq!(said.status, 0, "{}", said.err);
    let report = fs::read_to_string(scratch.path("out/report.html")).unwrap();
    assert!(report.contains(&format!("<code>raddle view {out}</code>")));
    let files = || {
        let all = names(&scratch.path("out/results")).into_iter();
        let folders = all.filter(|own| scratch.path(&format!("out/results/{own}")).is_dir());
        folders.map(|own| names(&scratch.path(&format!("out/results/{own}")))).collect::<Vec<_>>()
    };
    let before = files();
    let viewed = raddle(&["view", &out, "--out", &page]);
    assert_eq!(viewed.status, 0, "{}", viewed.err);
    assert!(viewed.err.starts_with("2 runs without a map: run once more"), "{}", viewed.err);
    let mapped = fs::read_to_string(&page).unwrap();
    assert!(!mapped.contains("Nothing was recorded over time"));
    assert_eq!(files(), before);
    let viewed = raddle(&["view", &out, "--out", &page, "--as-kept"]);
    assert_eq!(viewed.err.lines().count(), 1, "{}", viewed.err);
    assert!(fs::read_to_string(&page).unwrap().contains("Which flows used which links was not"));
    // Kept by a version that came to other results: they are not shown as if they were these.
    for folder in names(&scratch.path("out/results")) {
        let file = scratch.path(&format!("out/results/{folder}/run.json"));
        let Ok(text) = fs::read_to_string(&file) else { continue };
        fs::write(&file, text.replace("\"results_hash\": \"", "\"results_hash\": \"0")).unwrap();
    }
    let viewed = raddle(&["view", &out, "--out", &page]);
    assert_eq!(viewed.status, 0, "{}", viewed.err);
    assert!(viewed.err.contains("another version of raddle made it"), "{}", viewed.err);
    assert!(fs::read_to_string(&page).unwrap().contains("Which flows used which links was not"));
}

#[test]
fn a_comparison_has_a_page_of_its_best_run_and_its_worst_beside_it() {
    let sweep = SWEEP.replace("ops", "ecmp");
    let scratch = Scratch::new(&format!("{SMALL}{sweep}seed = \"3..4\"\n"));
    let out = scratch.text("out");
    let file = scratch.scenario();
    let said = raddle(&["compare", &file, "--out", &out, "--view", "--no-tables"]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(names(&scratch.path("out")), ["report.html", "view.html"]);
    assert!(said.out.contains("out/report.html  ") && said.out.contains("out/view.html  scenario"));
    let report = fs::read_to_string(scratch.path("out/report.html")).unwrap();
    assert!(report.contains("<a href=\"view.html\">Look into reps and ecmp</a>"));
    let page = fs::read_to_string(scratch.path("out/view.html")).unwrap();
    assert!(page.contains("\"ecmp\"") && page.contains("\"reps\""));
    assert!(!page.contains("Nothing was recorded over time"));
}

/// `raddle view` as a server, until it goes out of scope.
struct Server {
    child: Child,
    address: SocketAddr,
    /// Its path, with the key.
    root: String,
}

impl Server {
    fn of(results: &str) -> Self {
        let mut child = command(&["view", results, "--no-open"]).spawn().expect("raddle starts");
        let mut url = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut url).expect("a line");
        let rest = url.trim().strip_prefix("http://").expect("an address");
        let (address, root) = rest.split_at(rest.find('/').expect("a path"));
        Self { child, address: address.parse().expect("a socket"), root: root.to_owned() }
    }

    /// Status, and what follows the head.
    fn ask(&self, method: &str, path: &str, host: &str) -> (u16, Vec<u8>) {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        let request =
            format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        let end = answer.windows(4).position(|own| own == b"\r\n\r\n").expect("a head") + 4;
        let status = String::from_utf8_lossy(&answer[9..12]).parse().expect("a status");
        (status, answer.split_off(end))
    }

    fn get(&self, below: &str) -> (u16, Vec<u8>) {
        self.ask("GET", &format!("{}{below}", self.root), &self.address.to_string())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().expect("it runs until it is stopped");
        let _ = self.child.wait();
    }
}

#[test]
fn a_server_answers_who_knows_its_key_and_nobody_else() {
    let scratch =
        Scratch::new(&format!("{SMALL}[record]\nmap = true\nflows = [0, 3]\npackets = true\n"));
    let out = scratch.text("out");
    assert_eq!(raddle(&["run", &scratch.scenario(), "--out", &out]).status, 0);
    let server = Server::of(&out);
    let host = server.address.to_string();
    // Two at once, one of whom says nothing.
    let _silent = TcpStream::connect(server.address).expect("it listens");
    let (status, page) = server.get("");
    assert_eq!(status, 200);
    assert!(page.starts_with(b"<!doctype html>"));
    assert!(server.get("blocks").1.len() > 1_000);
    assert!(server.get("flow/0/3").1.len() > 500);
    assert_eq!(server.ask("HEAD", &server.root, &host), (200, Vec::new()));
    let local = format!("localhost:{}", server.address.port());
    assert_eq!(server.ask("GET", &server.root, &local).0, 200);
    // Names that lead here from another site; what changes something; what is not there.
    assert_eq!(server.ask("GET", &server.root, "evil.example").0, 403);
    assert_eq!(server.ask("POST", &server.root, &host).0, 405);
    for path in ["/", "/0123456789abcdef0123456789abcdef/", "/etc/passwd"] {
        assert_eq!(server.ask("GET", path, &host).0, 404, "{path}");
    }
    for below in ["../../etc/passwd", "flow/0", "flow/1/3", "flow/0/x", "run.json"] {
        assert_eq!(server.get(below).0, 404, "{below}");
    }
    // The results go away while somebody looks.
    fs::remove_dir_all(&out).expect("they were there");
    let (status, why) = server.get("flow/0/0");
    assert_eq!(status, 500);
    assert!(
        String::from_utf8_lossy(&why).contains("run.json"),
        "{}",
        String::from_utf8_lossy(&why)
    );
    assert_eq!(server.get("").0, 200, "the page is still there");
}

#[test]
fn what_is_no_run_is_told() {
    let scratch = Scratch::new(SMALL);
    let empty = scratch.text("nothing");
    fs::create_dir(&empty).unwrap();
    raddle(&["view", &empty]).refused(&["no run is in this folder", "raddle sweep"]);
    let out = scratch.text("out");
    assert_eq!(raddle(&["run", &scratch.scenario(), "--out", &out]).status, 0);
    raddle(&["view", &out, "--runs", "2"]).refused(&["there is no run 2", "runs 1 to 1"]);
    raddle(&["view", &out, "--runs", "1,1,1"]).refused(&["two at most"]);
    let nowhere = scratch.text("no/folder/page.html");
    let lost = raddle(&["view", &out, "--out", &nowhere]);
    assert_eq!(lost.status, 1);
    assert!(lost.err.contains("page.html"), "{}", lost.err);
}
