//! Maven: `pom.xml`.

use std::io;

use quick_xml::Reader;
use quick_xml::events::Event;

use super::{At, Described, invalid, jvm};
use crate::model::RootKind;

pub(super) fn read(at: &At<'_>, described: &mut Described) -> io::Result<()> {
    described.roots = jvm::roots(at);
    described.roots.push(("target/generated-sources".to_owned(), RootKind::Generated));
    described.roots.push(("target/generated-test-sources".to_owned(), RootKind::GeneratedTest));
    let Some(text) = at.text("pom.xml")? else { return Ok(()) };
    for (path, value) in elements(&text)? {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let value = value.trim().replace("${project.basedir}/", "").replace("${basedir}/", "");
        let root = match path.as_slice() {
            ["project", "artifactId"] => {
                described.name = Some(value);
                continue;
            }
            ["project", "modules", "module"] | ["project", "profiles", "profile", "modules", "module"] => {
                // a module may also name the file itself
                let dir = value
                    .strip_suffix(".xml")
                    .map_or(value.as_str(), |file| file.rsplit_once('/').map_or("", |(dir, _)| dir));
                described.members.push(dir.to_owned());
                continue;
            }
            ["project", "build", "sourceDirectory"] => RootKind::Source,
            ["project", "build", "testSourceDirectory"] => RootKind::Test,
            ["project", "build", "resources", "resource", "directory"] => RootKind::Resource,
            ["project", "build", "testResources", "testResource", "directory"] => RootKind::TestResource,
            _ => continue,
        };
        if value.contains("${") {
            let message = format!(
                "`{}` is `{value}`, whose property is not known without running the build",
                path.join("/")
            );
            described.problems.push(("pom.xml".to_owned(), message));
        } else if !described.roots.iter().any(|(known, _)| *known == value) {
            described.roots.push((value, root));
        }
    }
    Ok(())
}

/// Every element that holds text, as its path of names and the text.
fn elements(text: &str) -> io::Result<Vec<(Vec<String>, String)>> {
    let mut reader = Reader::from_str(text);
    let mut found = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut value = String::new();
    loop {
        match reader.read_event().map_err(|e| invalid("pom.xml", &e))? {
            Event::Start(start) => {
                path.push(String::from_utf8_lossy(start.local_name().as_ref()).into_owned());
                value.clear();
            }
            Event::Text(text) => value.push_str(&text.decode().map_err(|e| invalid("pom.xml", &e))?),
            Event::CData(text) => value.push_str(&text.decode().map_err(|e| invalid("pom.xml", &e))?),
            Event::GeneralRef(entity) if *entity == *b"amp" => value.push('&'),
            Event::End(_) => {
                if !value.trim().is_empty() {
                    found.push((path.clone(), std::mem::take(&mut value)));
                }
                path.pop();
            }
            Event::Eof if path.is_empty() => return Ok(found),
            Event::Eof => return Err(invalid("pom.xml", &"ends in the middle of an element")),
            _ => {}
        }
    }
}
