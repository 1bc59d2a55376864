//! Reads the examples of a checkout of the specification into our types and writes them again:
//! `spec-examples DIR`, where DIR has `schema/<revision>/examples/<type>/*.json`.

mod types;

use std::{fs, path::Path};

use mcp_protocol::{Json, Version};
use types::{Treated, round_trip};

type Failed = Box<dyn std::error::Error>;

fn folder(path: &Path) -> Result<Vec<std::path::PathBuf>, Failed> {
    let mut all = fs::read_dir(path)?.map(|e| Ok(e?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
    all.sort();
    Ok(all)
}

fn main() -> Result<(), Failed> {
    let dir = std::env::args().nth(1).ok_or("usage: spec-examples DIR")?;
    let (mut counts, mut wrong) = ([0; 3], Vec::new());
    for version in Version::ALL {
        let examples = Path::new(&dir).join("schema").join(version.as_str()).join("examples");
        if !examples.is_dir() {
            continue;
        }
        for kind in folder(&examples)? {
            let name = kind.file_name().and_then(|n| n.to_str()).ok_or("a name that is no text")?.to_owned();
            for file in folder(&kind)? {
                #[expect(clippy::disallowed_methods, reason = "it is what this program is for")]
                let text = fs::read_to_string(&file)?;
                match Json::parse(&text)
                    .map_err(|e| e.to_string())
                    .and_then(|j| round_trip(&name, &j, version))
                {
                    Ok(treated) => counts[treated as usize] += 1,
                    Err(why) => wrong.push(format!("{}: {why}", file.display())),
                }
            }
        }
    }
    let [typed, messages, bytes] =
        [Treated::Typed, Treated::Message, Treated::Bytes].map(|treated| counts[treated as usize]);
    #[expect(clippy::print_stdout, reason = "it is what this program is for")]
    {
        println!(
            "{typed} read and written again, {messages} decoded as messages, {bytes} passed on as bytes"
        );
        wrong.iter().for_each(|w| println!("{w}"));
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("{} differ", wrong.len()).into()) }
}
