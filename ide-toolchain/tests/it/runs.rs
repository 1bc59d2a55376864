//! Output, deadlines and cancellation.

use std::path::Path;
use std::time::Duration;

use ide_model::{Cx, QueryError, Stop, StopReason};
use ide_toolchain::{Finished, Limits, Overflow, Program, RunError, run};

pub(crate) const LIMITS: Limits =
    Limits { time: Duration::from_secs(60), output: 1 << 20, overflow: Overflow::Fail };

pub(crate) fn shell(script: &str) -> Program {
    Program::new(Path::new("/bin/sh"), Path::new("/")).args(["-c", script])
}

pub(crate) fn finished(script: &str, input: &[u8], limits: Limits) -> Result<Finished, RunError> {
    run(Cx::new(&Stop::new()), &shell(script), input, limits)
}

#[test]
fn both_outputs_and_the_code_are_kept() {
    let done = finished("cat; echo oops >&2; exit 3", b"text", LIMITS).unwrap();
    assert_eq!(done.status.code(), Some(3));
    assert_eq!((&*done.out.text(), &*done.err.text()), ("text", "oops\n"));
}

#[test]
fn input_and_output_may_be_larger_than_a_pipe() {
    let input = vec![b'x'; 800_000];
    let done = finished("cat", &input, LIMITS).unwrap();
    assert_eq!(done.out.whole(), Some(input.clone()));
    let done = finished("exit 0", &input, LIMITS).unwrap();
    assert!(done.out.is_empty() && done.status.success(), "a program need not read its input");
}

#[test]
fn endless_output_is_ended_or_shortened() {
    let error = finished("yes", b"", LIMITS).unwrap_err();
    assert!(matches!(error, RunError::TooMuch(1_048_576)), "{error:?}");
    let limits = Limits { output: 20, overflow: Overflow::Shorten, ..LIMITS };
    let done = finished("seq 1 5000; echo end", b"", limits).unwrap();
    let text = done.out.text();
    assert!(text.starts_with("1\n2\n3\n4\n5\n\n[") && text.ends_with("5000\nend\n"), "{text}");
    let error = finished("yes >&2", b"", Limits { output: 20, ..LIMITS }).unwrap_err();
    assert!(matches!(error, RunError::TooMuch(20)), "{error:?}");
}

#[test]
fn late_programs_and_calls_taken_back_are_ended() {
    let limits = Limits { time: Duration::from_millis(50), ..LIMITS };
    assert!(matches!(finished("exec sleep 600", b"", limits), Err(RunError::Late(_))));
    // Closed outputs are no end.
    assert!(matches!(finished("exec >&- 2>&-; exec sleep 600", b"", limits), Err(RunError::Late(_))));
    let stop = Stop::new();
    std::thread::scope(|scope| {
        let call = scope.spawn(|| run(Cx::new(&stop), &shell("exec sleep 600"), b"", LIMITS));
        stop.stop(StopReason::Cancelled);
        assert!(matches!(call.join().unwrap(), Err(RunError::Stopped(QueryError::Cancelled))));
    });
}

#[test]
fn a_program_that_is_not_there_is_no_end_of_the_world() {
    let program = Program::new(Path::new("/nowhere/at/all"), Path::new("/"));
    let error = run(Cx::new(&Stop::new()), &program, b"", LIMITS).unwrap_err();
    assert!(
        matches!(&error, RunError::Start(why) if why.kind() == std::io::ErrorKind::NotFound),
        "{error:?}"
    );
}
