use std::time::Instant;
fn walk(d: &std::path::Path, out: &mut Vec<std::path::PathBuf>) {
    for e in std::fs::read_dir(d).unwrap() {
        let p = e.unwrap().path();
        if p.is_dir() {
            walk(&p, out)
        } else if p.extension().is_some_and(|x| x == "java") {
            out.push(p)
        }
    }
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mut files = vec![];
    for a in &args[1..] {
        let p = std::path::Path::new(a);
        if p.is_file() { files.push(p.to_path_buf()) } else { walk(p, &mut files) }
    }
    files.sort();
    let texts: Vec<(String, String)> = files
        .iter()
        .filter_map(|p| Some((p.display().to_string(), std::fs::read_to_string(p).ok()?)))
        .collect();
    let bytes: usize = texts.iter().map(|t| t.1.len()).sum();
    let front = ide_index::lang::front_end(ide_model::Language::Java).unwrap();
    let t = Instant::now();
    let mut n = [0usize; 6];
    let mut errs = 0;
    for (p, s) in &texts {
        let f = front.facts(p, s);
        n[0] += f.defs.len();
        n[1] += f.refs.len();
        n[2] += f.exprs.len();
        n[3] += f.types.len();
        n[4] += f.scopes.len();
        n[5] += f.names.len();
        if !f.errors.is_empty() {
            errs += 1;
            if errs < 40 {
                let e = &f.errors[0];
                let line = s[..e.range.start as usize].matches('\n').count() + 1;
                println!("{p}:{line}: {} | {}", e.message, s.lines().nth(line - 1).unwrap_or("").trim());
            }
        }
        if args.len() == 2 && files.len() == 1 {
            dump(&f, s);
        }
    }
    let dt = t.elapsed().as_secs_f64();
    println!(
        "{} files {:.1} MB {:.3}s {:.0} MB/s errors {errs} defs/refs/exprs/types/scopes/names {n:?}",
        texts.len(),
        bytes as f64 / 1e6,
        dt,
        bytes as f64 / 1e6 / dt
    );
}
fn dump(f: &ide_index::FileFacts, s: &str) {
    let line = |o: u32| s[..o as usize].matches('\n').count() + 1;
    for (i, d) in f.defs.iter().enumerate() {
        println!(
            "def{i} {}:{} {:?} {} scope{} body{:?} ty{:?} init{:?} flags{:x} params{:?}",
            line(d.name_range.start),
            f.name(d.name),
            d.kind,
            line(d.range.end),
            d.scope.0,
            d.body.map(|b| b.0),
            d.ty.map(|t| f.ty(t)),
            d.init.map(|e| f.expr(e)),
            d.flags.0,
            f.list(d.params).map(|p| p.0).collect::<Vec<_>>()
        );
    }
    for (i, r) in f.refs.iter().enumerate() {
        println!(
            "ref{i} {}:{} {:?} scope{} recv{:?} call{:?} {:x}",
            line(r.range.start),
            f.name(r.name),
            r.role,
            r.scope.0,
            r.receiver.map(|e| f.expr(e)),
            r.call.map(|c| f.expr(c)),
            r.flags.0
        );
    }
    for (e, x) in &f.expectations {
        println!("expect {:?} {:?}", f.expr(*e), x);
    }
}
