//! Reports in the form of JUnit: of Maven, Gradle, pytest and PHPUnit.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use ide_model::TestStatus;

/// One `testcase`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// `class`, else `classname`, else the name of the suite around it.
    pub(crate) class: String,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
    pub(crate) seconds: Option<f64>,
    pub(crate) status: Option<TestStatus>,
    pub(crate) message: Option<String>,
    /// The text inside of the failure: mostly a stack.
    pub(crate) text: String,
    pub(crate) output: String,
}

/// The cases of a report, also of one that ends in its middle.
pub(crate) fn cases(xml: &str) -> Vec<Case> {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    let mut found: Vec<Case> = Vec::new();
    let mut suites: Vec<String> = Vec::new();
    let mut open: Option<Case> = None;
    // The name of the innermost element: it decides where text goes.
    let mut inside = String::new();
    loop {
        match reader.read_event() {
            Err(_) | Ok(Event::Eof) => break,
            Ok(Event::Start(tag)) => {
                let name = local(&tag);
                match &*name {
                    "testsuite" => suites.push(attribute(&tag, "name").unwrap_or_default()),
                    "testcase" => open = Some(case(&tag, suites.last())),
                    _ => {
                        if let Some(case) = &mut open {
                            ended(case, &name, &tag);
                        }
                        inside = name;
                    }
                }
            }
            Ok(Event::Empty(tag)) => match &*local(&tag) {
                "testcase" => found.push(case(&tag, suites.last())),
                name => {
                    if let Some(case) = &mut open {
                        ended(case, name, &tag);
                    }
                }
            },
            Ok(Event::End(tag)) => {
                match tag.local_name().as_ref() {
                    b"testsuite" => drop(suites.pop()),
                    b"testcase" => found.extend(open.take()),
                    _ => {}
                }
                inside.clear();
            }
            Ok(Event::Text(text)) => push(&mut open, &inside, &String::from_utf8_lossy(&text)),
            Ok(Event::CData(text)) => push(&mut open, &inside, &String::from_utf8_lossy(&text)),
            Ok(Event::GeneralRef(entity)) => {
                let name = String::from_utf8_lossy(&entity).into_owned();
                push(&mut open, &inside, &resolved(&name));
            }
            Ok(_) => {}
        }
    }
    // A run that was ended in a test has said so much of it.
    found.extend(open.map(|case| Case { status: case.status.or(Some(TestStatus::Error)), ..case }));
    found
}

fn local(tag: &BytesStart<'_>) -> String {
    String::from_utf8_lossy(tag.local_name().as_ref()).into_owned()
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute =
        tag.attributes().with_checks(false).flatten().find(|one| one.key.as_ref() == name.as_bytes())?;
    let raw = String::from_utf8_lossy(&attribute.value).into_owned();
    Some(quick_xml::escape::unescape(&raw).map_or_else(|_| raw.clone(), std::borrow::Cow::into_owned))
}

/// The text of `&name;`.
fn resolved(name: &str) -> String {
    let raw = format!("&{name};");
    quick_xml::escape::unescape(&raw).map_or_else(|_| raw.clone(), std::borrow::Cow::into_owned)
}

fn case(tag: &BytesStart<'_>, suite: Option<&String>) -> Case {
    let class = attribute(tag, "class").or_else(|| attribute(tag, "classname")).or_else(|| suite.cloned());
    Case {
        name: attribute(tag, "name").unwrap_or_default(),
        class: class.unwrap_or_default(),
        file: attribute(tag, "file"),
        line: attribute(tag, "line").and_then(|line| line.parse().ok()),
        seconds: attribute(tag, "time").and_then(|time| time.replace(',', "").parse().ok()),
        ..Case::default()
    }
}

fn ended(case: &mut Case, element: &str, tag: &BytesStart<'_>) {
    let status = match element {
        "failure" => TestStatus::Failed,
        "error" => TestStatus::Error,
        "skipped" => TestStatus::Skipped,
        // A test that failed and then passed (`rerunFailure`, `flakyFailure`) has passed.
        _ => return,
    };
    // A failure and then an error of what cleans up: the first one counts.
    if case.status.is_none() {
        case.status = Some(status);
        case.message = attribute(tag, "message").filter(|message| !message.is_empty());
    }
}

fn push(open: &mut Option<Case>, inside: &str, text: &str) {
    let Some(case) = open else { return };
    match inside {
        "failure" | "error" | "skipped" => case.text.push_str(text),
        "system-out" | "system-err" => case.output.push_str(text),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_reports() {
        let found = cases(include_str!("recorded/pytest.xml"));
        let shown: Vec<_> = found.iter().map(|case| (&*case.name, &*case.class, case.status)).collect();
        let class = "tests.test_cart.TestFilled";
        let expected = [
            ("test_empty_costs_nothing", "tests.test_cart", None),
            ("test_sums", class, Some(TestStatus::Failed)),
            ("test_nothing_adds_nothing[0_0]", class, None),
            ("test_nothing_adds_nothing[0_1]", class, None),
            ("test_is_empty", "tests.test_cart.OldFashioned", None),
        ];
        assert_eq!(shown, expected);
        assert!(found[1].text.contains("self = <test_cart.TestFilled object"), "{}", found[1].text);
        assert!(found[1].message.as_deref().unwrap().starts_with("assert -5 == 5\n +  where"));
        let found = cases(include_str!("recorded/phpunit.xml"));
        assert_eq!((found.len(), &*found[1].class, found[1].line), (2, "Shop\\Tests\\CartTest", Some(17)));
        let found = cases(include_str!("recorded/phpunit11.xml"));
        let class = "Shop\\Tests\\KindsTest";
        let shown: Vec<_> =
            found.iter().filter(|case| case.class == class).map(|case| (&*case.name, case.status)).collect();
        let expected = [
            ("testSums with data set \"small\"", None),
            ("testSums with data set #0", Some(TestStatus::Failed)),
            ("is_marked", None),
            ("testSkipped", Some(TestStatus::Skipped)),
            ("testIncomplete", Some(TestStatus::Skipped)),
            ("testThrows", Some(TestStatus::Error)),
            ("testRisky", None),
            ("testWarns", None),
            ("testText", Some(TestStatus::Failed)),
        ];
        assert_eq!(shown, expected);
        let found = cases(include_str!("recorded/surefire.xml"));
        assert_eq!((found.len(), found[3].message.as_deref()), (4, Some("expected: <5> but was: <-5>")));
        assert!(
            found[3].text.contains("\tat shop.CartTest$Filled.sums(CartTest.java:23)"),
            "{}",
            found[3].text
        );
    }

    #[test]
    fn half_a_report_has_the_cases_before_its_end() {
        let whole = include_str!("recorded/pytest.xml");
        let all = cases(whole).len();
        let mut most = 0;
        for at in (0..whole.len()).filter(|at| whole.is_char_boundary(*at)) {
            let found = cases(&whole[..at]).len();
            assert!(found >= most && found <= all, "{at}: {found} after {most}");
            most = found;
        }
        let text = "<testsuite><testcase name='a' classname='A'><failure message='m'>tex";
        assert_eq!((cases(text)[0].status, &*cases(text)[0].text), (Some(TestStatus::Failed), "tex"));
        let text = "<testsuite name='S'><testcase name='&lt;a&gt; &#233;' time='1,000.5'/><testcase name='b'><skipped/></testcase>\
                    <testcase name='c'><flakyFailure>x</flakyFailure></testcase>";
        let found = cases(text);
        assert_eq!((&*found[0].name, &*found[0].class, found[0].seconds), ("<a> é", "S", Some(1000.5)));
        assert_eq!(
            (found[1].status, found[2].status, &*found[2].text),
            (Some(TestStatus::Skipped), None, "")
        );
    }
}
