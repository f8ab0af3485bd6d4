//! The report as a file: it needs nothing else, stays small, and data cannot break out of it.

mod made_up;

use raddle::report::{Detail, Port, Report};

const MEGABYTE: usize = 1_000_000;

fn data(page: &str) -> serde_json::Value {
    let (_, after) =
        page.split_once(r#"<script type="application/json" id="data">"#).expect("there is data");
    let (json, _) = after.split_once("</script>").expect("the data ends");
    serde_json::from_str(json).expect("the data is JSON")
}

/// The page without the library and its licences.
fn own_part(page: &str) -> String {
    let (before, after) = page.split_once("<!--").expect("licences come first");
    let (_, after) = after.split_once("</script>").expect("the library ends");
    format!("{before}{after}")
}

#[test]
fn the_page_loads_nothing_from_elsewhere() {
    let page = made_up::comparison().html();
    for loader in ["src=", "@import", "url(", "fetch(", "XMLHttpRequest", "import("] {
        assert!(!own_part(&page).contains(loader), "{loader}");
    }
    assert!(!own_part(&page).contains("http://") && !own_part(&page).contains("https://"));
    for tag in ["<link", "<img", "<iframe", "<script src"] {
        assert!(!own_part(&page).contains(tag), "{tag}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn the_page_stays_below_three_megabytes() {
    assert!(made_up::comparison().html().len() < 3 * MEGABYTE);
}

#[test]
fn long_series_of_many_ports_stay_below_three_megabytes() {
    let buckets = 50_000;
    let port = Port {
        name: "tor0.up0".to_owned(),
        rate_gbps: 400.0,
        bytes: (0..buckets).map(|i| 49_000 + i % 1000).collect(),
        data_frames: vec![12; buckets as usize],
        queue_bytes_max: (0..buckets).map(|i| 700_000 - i).collect(),
        drops: vec![0; buckets as usize],
    };
    let detail = Detail { bucket_us: 0.1, ports: vec![port; 32], ..Detail::default() };
    let report = Report { details: vec![detail; 9], ..made_up::comparison() };
    let page = report.html();
    assert!(page.len() < 3 * MEGABYTE, "{}", page.len());
    let thinned = &data(&page)["details"][0]["ports"][0];
    let most = thinned["queue_bytes_max"].as_array().unwrap();
    let least = thinned["queue_bytes_least"].as_array().unwrap();
    assert_eq!(most.first().unwrap(), 700_000);
    assert_eq!(least.last().unwrap(), 650_001);
}

#[test]
fn many_cells_with_many_flows_stay_below_three_megabytes() {
    let mut report = made_up::comparison();
    let mut cell = report.cells[0].clone();
    cell.fct_us = (0..40_000).map(|i| 176.9 + f64::from(i) / 7.0).collect();
    report.cells = vec![cell; 100];
    assert!(report.html().len() < 3 * MEGABYTE);
}

#[test]
fn the_data_reads_back() {
    let report = made_up::comparison();
    let data = data(&report.html());
    assert_eq!(data["title"], report.title);
    assert_eq!(data["cells"].as_array().unwrap().len(), 9);
    assert_eq!(data["cells"][0]["runs"][4]["seed"], 5);
    assert_eq!(
        data["cells"][0]["runs"][0]["fct_max_us"],
        report.cells[0].runs[0].fct_max_us.unwrap()
    );
    assert_eq!(data["cells"][3]["runs"][0]["completed"], false);
    assert!(data["cells"][3]["runs"][0]["completion_us"].is_null());
    assert_eq!(data["conditions"][0]["bound"]["us"], 176.9);
    assert_eq!(data["conditions"][0]["limit"]["value"], 176.9);
    assert_eq!(data["metric"]["title"], "time to completion");
    assert_eq!(data["details"].as_array().unwrap().len(), 9);
    assert_eq!(data["provenance"]["packet_hops"], 48_211_904);
}

#[test]
fn hostile_text_cannot_break_out() {
    let hostile = "</script><script>alert(1)</script><!-- [[data]] \u{2028}";
    let mut report = made_up::single_run();
    let scripts = report.html().matches("<script").count();
    report.title = hostile.to_owned();
    report.question = hostile.to_owned();
    report.answer = vec![hostile.to_owned()];
    report.schemes[0].name = hostile.to_owned();
    report.cells[0].statistics = hostile.to_owned();
    report.details[0].ports[0].name = hostile.to_owned();
    report.provenance.scenario_toml = hostile.to_owned();
    let page = report.html();
    assert_eq!(page.matches("<script").count(), scripts);
    assert_eq!(page.matches("</script>").count(), 3);
    assert_eq!(data(&page)["title"], hostile);
    assert_eq!(data(&page)["schemes"][0]["name"], hostile);
}

#[test]
fn an_empty_report_is_still_a_page() {
    let page = Report::default().html();
    assert!(page.ends_with("</html>\n"));
    assert_eq!(data(&page)["cells"].as_array().unwrap().len(), 0);
}

#[test]
fn the_same_report_gives_the_same_page() {
    assert_eq!(made_up::comparison().html(), made_up::comparison().html());
}

#[test]
fn a_single_run_has_no_interval() {
    let data = data(&made_up::single_run().html());
    assert!(data["cells"][0]["interval"].is_null());
    assert_eq!(data["schemes"][0]["palette_index"], 2);
}
