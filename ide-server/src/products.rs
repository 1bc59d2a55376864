//! The products that serve the index, each under its own name and port, so that several run side by side.

/// One product.
#[derive(Debug, PartialEq, Eq)]
pub struct Product {
    /// Word in the settings.
    pub id: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The name under which agents know its server.
    pub server: &'static str,
    /// The port on which it listens unless the settings say otherwise.
    pub port: u16,
}

const fn product(id: &'static str, title: &'static str, server: &'static str, port: u16) -> Product {
    Product { id, title, server, port }
}

/// Every product; the first one is a server without an IDE.
pub static PRODUCTS: [Product; 15] = [
    product("headless", "ide-index-mcp", "ide-index", 29190),
    product("intellij", "IntelliJ IDEA", "intellij-index", 29170),
    product("android-studio", "Android Studio", "android-studio-index", 29171),
    product("pycharm", "PyCharm", "pycharm-index", 29172),
    product("webstorm", "WebStorm", "webstorm-index", 29173),
    product("goland", "GoLand", "goland-index", 29174),
    product("phpstorm", "PhpStorm", "phpstorm-index", 29175),
    product("rubymine", "RubyMine", "rubymine-index", 29176),
    product("clion", "CLion", "clion-index", 29177),
    product("rustrover", "RustRover", "rustrover-index", 29178),
    product("datagrip", "DataGrip", "datagrip-index", 29179),
    product("aqua", "Aqua", "aqua-index", 29180),
    product("dataspell", "DataSpell", "dataspell-index", 29181),
    product("rider", "Rider", "rider-index", 29182),
    product("jetbrains", "another JetBrains IDE", "jetbrains-index", 29199),
];

impl Product {
    /// The product of that word.
    pub fn of(id: &str) -> Option<&'static Product> {
        PRODUCTS.iter().find(|product| product.id == id)
    }

    /// The product that an IDE is, by the two letters that its builds begin with, e.g. `PC` in `PC-262.1`.
    pub fn of_ide(code: &str) -> &'static Product {
        let id = match code {
            "IU" | "IC" | "IE" => "intellij",
            "AI" => "android-studio",
            "PY" | "PC" | "PE" => "pycharm",
            "WS" => "webstorm",
            "GO" => "goland",
            "PS" => "phpstorm",
            "RM" => "rubymine",
            "CL" => "clion",
            "RR" => "rustrover",
            "DB" => "datagrip",
            "QA" => "aqua",
            "DS" => "dataspell",
            "RD" => "rider",
            _ => "jetbrains",
        };
        Self::of(id).expect("every word stands in the table")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_products_meet() {
        let distinct = |of: fn(&Product) -> String| PRODUCTS.iter().map(of).collect::<BTreeSet<_>>().len();
        assert_eq!(distinct(|p| p.id.to_owned()), PRODUCTS.len());
        assert_eq!(distinct(|p| p.server.to_owned()), PRODUCTS.len());
        assert_eq!(distinct(|p| p.port.to_string()), PRODUCTS.len());
        assert_eq!(Product::of("headless").map(|p| (p.server, p.port)), Some(("ide-index", 29190)));
    }
}
