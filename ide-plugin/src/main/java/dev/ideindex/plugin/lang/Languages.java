package dev.ideindex.plugin.lang;

import com.intellij.lang.Language;
import com.intellij.psi.PsiElement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The languages that this IDE knows, by the names of the catalogue. */
public final class Languages {
    /** A language: its ids in the platform, a class that its plugin brings, and our support for it. */
    private record Row(String name, List<String> ids, String marker, String support) {}

    private static final String OURS = "dev.ideindex.plugin.lang.";
    private static final List<Row> ROWS = List.of(
            new Row("java", List.of("JAVA"), "com.intellij.psi.JavaPsiFacade", OURS + "JavaSupport"),
            new Row("kotlin", List.of("kotlin"), "org.jetbrains.kotlin.psi.KtElement", OURS + "KotlinSupport"),
            new Row("python", List.of("Python"), "com.jetbrains.python.psi.PyElement", OURS + "PythonSupport"),
            new Row("javascript", List.of("JavaScript", "ECMAScript 6", "JSX Harmony", "Flow JS"),
                    "com.intellij.lang.javascript.psi.JSElement", OURS + "ScriptSupport"),
            new Row("typescript", List.of("TypeScript", "TypeScript JSX"), "com.intellij.lang.javascript.psi.JSElement",
                    OURS + "ScriptSupport"),
            new Row("go", List.of("go"), "com.goide.psi.GoFile", OURS + "NeutralSupport"),
            new Row("php", List.of("PHP"), "com.jetbrains.php.lang.psi.PhpFile", OURS + "PhpSupport"),
            new Row("rust", List.of("Rust"), "org.rust.lang.core.psi.RsFile", OURS + "NeutralSupport"));

    private static final LanguageSupport NEUTRAL = new NeutralSupport();
    private static final Map<String, LanguageSupport> BY_ID = new ConcurrentHashMap<>();

    private Languages() {}

    /** The names of the languages whose plugins are there. */
    public static List<String> known() {
        List<String> names = new ArrayList<>();
        for (Row row : ROWS) {
            if (isThere(row.marker())) {
                names.add(row.name());
            }
        }
        return names;
    }

    /** The classes of ours that serve the known languages, by language: what a self check has to look at. */
    public static Map<String, String> supports() {
        Map<String, String> supports = new LinkedHashMap<>();
        for (Row row : ROWS) {
            if (isThere(row.marker())) {
                supports.put(row.name(), row.support());
            }
        }
        return supports;
    }

    public static LanguageSupport of(PsiElement element) {
        return BY_ID.computeIfAbsent(element.getLanguage().getID(), id -> make(element.getLanguage()));
    }

    /** The name of the catalogue, or null for a language that it does not have. */
    public static String name(Language language) {
        Row row = row(language);
        return row == null ? null : row.name();
    }

    private static Row row(Language language) {
        for (Language at = language; at != null; at = at.getBaseLanguage()) {
            for (Row row : ROWS) {
                if (row.ids().contains(at.getID())) {
                    return row;
                }
            }
        }
        return null;
    }

    private static LanguageSupport make(Language language) {
        Row row = row(language);
        if (row == null || !isThere(row.marker())) {
            return NEUTRAL;
        }
        try {
            return (LanguageSupport) Class.forName(row.support()).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException | LinkageError e) {
            return NEUTRAL;
        }
    }

    private static boolean isThere(String className) {
        try {
            Class.forName(className, false, Languages.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }
}
