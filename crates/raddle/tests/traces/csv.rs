//! Lists of flows.

use super::{errors, fact, of_bytes};
use raddle::import::trace::{Options, Trace};
use raddle_schemes::ids::{FlowId, HostId};
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::workload::Start;

fn list(text: &str) -> Trace {
    let read = of_bytes("f.csv", text.as_bytes(), &Options::default());
    read.unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn hosts(n: u32) -> Vec<HostId> {
    (0..n).map(HostId).collect()
}

#[test]
fn columns_stand_in_any_order_and_times_are_exact() {
    let trace = list(
        "# made by hand\nbytes,src,dst,start_ns\n100,0,1,1.5\n# more\n200,2,1,\n\"300\",1,0,0.001\n",
    );
    assert_eq!((trace.format.word, trace.ranks()), ("flows_csv", 3));
    assert_eq!((fact(&trace, "flows"), fact(&trace, "bytes of flows")), (3, 600));
    let traffic = trace.traffic(&hosts(3)).unwrap();
    let starts: Vec<Start> = traffic.flows.iter().map(|flow| flow.start).collect();
    assert_eq!(starts, [1_500, 0, 1].map(|ps| Start::At(Time(ps))));
    assert_eq!(traffic.flows[1].bytes, Bytes(200));
    assert!(trace.traffic(&hosts(2)).is_err());
}

#[test]
fn flows_wait_for_others_that_may_stand_below() {
    let trace = list(
        "src,dst,bytes,id,after,end,start_ns,compute_ns,job,class\n\
         1,2,20,b,a c,,5,2,y,\n0,1,10,a,,,,,x,3\n2,1,30,c,,,,,y,\n2,0,40,d,c,acked,,,x,\n",
    );
    let traffic = trace.traffic(&hosts(3)).unwrap();
    let bytes: Vec<u64> = traffic.flows.iter().map(|flow| flow.bytes.0).collect();
    assert_eq!(bytes, [20, 30, 10, 40]);
    let jobs: Vec<_> =
        traffic.jobs.iter().map(|job| (job.name.as_str(), job.flows.clone())).collect();
    assert_eq!(jobs, [("y", 0..2), ("x", 2..4)]);
    let starts: Vec<Start> = traffic.flows.iter().map(|flow| flow.start).collect();
    let zero = Start::At(Time::ZERO);
    assert_eq!(starts, [Start::After(Span::ns(7)), zero, zero, Start::After(Span::ZERO)]);
    let fired =
        |id: Option<raddle_sim::workload::TriggerId>| &traffic.triggers[id.unwrap().index()];
    assert_eq!(fired(traffic.flows[2].on_delivered).targets, [FlowId(0)]);
    assert_eq!(fired(traffic.flows[1].on_acked).targets, [FlowId(3)]);
    assert_eq!(traffic.flows[2].class, 3);
    assert_eq!(trace.classes().unwrap(), [(0, 0), (1, 3), (2, 0), (3, 0)]);
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    for (text, expected) in [
        ("src,dst,bytse\n", "line 1: unknown column `bytse` (help: did you mean `bytes`?)"),
        ("src,dst,bytes,src\n", "column `src` twice"),
        ("src,bytes\n1,2\n", "no column `dst`"),
        ("src,dst,bytes\n0,1\n", "line 2: 2 values, and 3 columns"),
        ("src,dst,bytes\n0,1,x\n", "line 2: `bytes` is `x`"),
        ("src,dst,bytes\n0,1,0\n", "line 2: a flow of 0 bytes"),
        ("src,dst,bytes\n1,1,1\n", "line 2: a flow to its own sender"),
        ("src,dst,bytes,start_ns\n0,1,1,1.2345\n", "line 2: `start_ns` is `1.2345`"),
        ("src,dst,bytes,id\n0,1,1,a\n0,1,1,a\n", "line 3: id `a` is that of line 2"),
        (
            "src,dst,bytes,id,after\n0,1,1,abc,\n0,1,1,b,abd\n",
            "line 3: no flow has the id `abd` (help: did you mean `abc`?)",
        ),
        (
            "src,dst,bytes,id,after\n0,1,1,a,b\n0,1,1,b,a\n",
            "line 2: flows wait for each other in a circle: lines 2, 3",
        ),
        (
            "src,dst,bytes,end\n0,1,1,ack\n",
            "line 2: unknown word `ack` for `end` (help: did you mean `acked`?)",
        ),
    ] {
        let errors = errors("f.csv", text.as_bytes(), &Options::default());
        assert!(errors.iter().any(|error| error.contains(expected)), "{text}: {errors:#?}");
    }
}
