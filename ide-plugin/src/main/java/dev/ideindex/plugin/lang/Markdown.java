package dev.ideindex.plugin.lang;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns the HTML of the IDE's documentation into Markdown. Tags without a meaning for a reader fall away. */
public final class Markdown {
    private static final Pattern TAG = Pattern.compile("<!--.*?-->|<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:[^>\"']|\"[^\"]*\"|'[^']*')*)>", Pattern.DOTALL);
    private static final Pattern ENTITY = Pattern.compile("&(#x?[0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});");
    private static final Pattern HIDDEN = Pattern.compile("<(head|style|script)\\b.*?</\\1>", Pattern.DOTALL | Pattern.CASE_INSENSITIVE);
    private static final Pattern INLINE = Pattern.compile("\\{@\\w+\\s+([^{}]*)\\}");
    private static final Map<String, String> NAMES = Map.of("lt", "<", "gt", ">", "amp", "&", "quot", "\"", "apos", "'", "nbsp", " ");
    private static final Map<String, String> OPEN = new LinkedHashMap<>();
    private static final Map<String, String> CLOSE = new LinkedHashMap<>();

    static {
        for (String block : new String[] {"p", "div", "dl", "table", "ul", "ol", "h1", "h2", "h3", "h4"}) {
            OPEN.put(block, "\n\n");
            CLOSE.put(block, "\n\n");
        }
        for (String line : new String[] {"br", "tr", "dt", "dd"}) {
            OPEN.put(line, "\n");
        }
        OPEN.put("li", "\n- ");
        OPEN.put("pre", "\n\n```\n");
        CLOSE.put("pre", "\n```\n\n");
        for (String code : new String[] {"code", "tt"}) {
            OPEN.put(code, "`");
            CLOSE.put(code, "`");
        }
        CLOSE.put("td", " ");
    }

    private Markdown() {}

    public static String of(String html) {
        StringBuilder out = new StringBuilder();
        String shown = HIDDEN.matcher(html).replaceAll("");
        Matcher tags = TAG.matcher(shown);
        int from = 0;
        boolean verbatim = false;
        while (tags.find()) {
            text(shown.substring(from, tags.start()), verbatim, out);
            from = tags.end();
            String name = tags.group(2) == null ? "" : tags.group(2).toLowerCase(Locale.ROOT);
            boolean closes = "/".equals(tags.group(1));
            if (name.equals("pre")) {
                verbatim = !closes;
            }
            if (!verbatim || name.equals("pre") || name.equals("br")) {
                out.append((closes ? CLOSE : OPEN).getOrDefault(name, ""));
            }
        }
        text(shown.substring(from), verbatim, out);
        return out.toString().replaceAll("[ \t]+\n", "\n").replaceAll("\n{3,}", "\n\n").strip();
    }

    /** Of a comment as it stands in the code: {@code /** … *}{@code /}. Its inline tags become code. */
    static String ofJavadoc(String comment) {
        String inside = comment.replaceAll("^/\\*+|\\*+/$", "").replaceAll("(?m)^[ \t]*\\*", "");
        String code = INLINE.matcher(inside).replaceAll("<code>$1</code>");
        String tags = code.replaceAll("(?m)^\\s*@(\\w+)", "<br>@$1");
        return of(tags);
    }

    /** The lines as they are shown, without any mark-up. */
    public static String lines(String html) {
        StringBuilder out = new StringBuilder();
        text(TAG.matcher(html.replaceAll("(?i)<br\\s*/?>|</(p|div|tr)>", "\n")).replaceAll(""), true, out);
        return out.toString().strip();
    }

    /** On one line and without any mark-up. */
    public static String plain(String html) {
        StringBuilder out = new StringBuilder();
        text(TAG.matcher(html).replaceAll(""), false, out);
        return out.toString().strip();
    }

    private static void text(String text, boolean verbatim, StringBuilder out) {
        String unfolded = verbatim ? text : text.replaceAll("\\s+", " ");
        Matcher entities = ENTITY.matcher(unfolded);
        int from = 0;
        while (entities.find()) {
            out.append(unfolded, from, entities.start()).append(character(entities.group(1)));
            from = entities.end();
        }
        out.append(unfolded, from, unfolded.length());
    }

    private static String character(String entity) {
        if (entity.startsWith("#")) {
            boolean hex = entity.startsWith("#x") || entity.startsWith("#X");
            try {
                int code = Integer.parseInt(entity.substring(hex ? 2 : 1), hex ? 16 : 10);
                String text = Character.isValidCodePoint(code) ? Character.toString(code) : "";
                return text.equals("\u00a0") ? " " : text;
            } catch (NumberFormatException e) {
                return "&" + entity + ";";
            }
        }
        return NAMES.getOrDefault(entity, "&" + entity + ";");
    }
}
