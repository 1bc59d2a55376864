package dev.ideindex.plugin.spi;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON as maps, lists, strings, booleans, {@code Long}, {@code Double} and null.
 *
 * <p>Small on purpose: a plugin has no libraries of its own, and those of the platform come and go.
 */
public final class Json {
    private static final int MAX_DEPTH = 200;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** An object with its fields in the order given; fields with the value null are left out. */
    public static Map<String, Object> object(Object... namesAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            if (namesAndValues[i + 1] != null) {
                object.put((String) namesAndValues[i], namesAndValues[i + 1]);
            }
        }
        return object;
    }

    /** @throws IllegalArgumentException saying where the text is not JSON */
    public static Object parse(byte[] utf8) {
        Json json = new Json(new String(utf8, StandardCharsets.UTF_8));
        Object value = json.value(0);
        json.skipSpace();
        if (json.at != json.text.length()) {
            throw json.wrong("the end");
        }
        return value;
    }

    public static byte[] bytes(Object value) {
        StringBuilder out = new StringBuilder(256);
        write(value, out);
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }

    private Object value(int depth) {
        if (depth > MAX_DEPTH) {
            throw wrong("less depth");
        }
        skipSpace();
        char c = at < text.length() ? text.charAt(at) : 0;
        switch (c) {
            case '{':
                return members(depth);
            case '[':
                return elements(depth);
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, Object> members(int depth) {
        Map<String, Object> object = new LinkedHashMap<>();
        at++;
        skipSpace();
        if (take('}')) {
            return object;
        }
        do {
            skipSpace();
            if (at >= text.length() || text.charAt(at) != '"') {
                throw wrong("a name");
            }
            String name = string();
            skipSpace();
            expect(':');
            object.put(name, value(depth + 1));
            skipSpace();
        } while (take(','));
        expect('}');
        return object;
    }

    private List<Object> elements(int depth) {
        List<Object> array = new ArrayList<>();
        at++;
        skipSpace();
        if (take(']')) {
            return array;
        }
        do {
            array.add(value(depth + 1));
            skipSpace();
        } while (take(','));
        expect(']');
        return array;
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        at++;
        while (true) {
            if (at >= text.length()) {
                throw wrong("a closing quote");
            }
            char c = text.charAt(at++);
            if (c == '"') {
                return out.toString();
            }
            out.append(c == '\\' ? escaped() : c);
        }
    }

    private char escaped() {
        if (at >= text.length()) {
            throw wrong("an escape");
        }
        char c = text.charAt(at++);
        switch (c) {
            case 'n':
                return '\n';
            case 't':
                return '\t';
            case 'r':
                return '\r';
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'u':
                if (at + 4 > text.length()) {
                    throw wrong("four digits");
                }
                char unit = (char) Integer.parseInt(text.substring(at, at + 4), 16);
                at += 4;
                return unit;
            case '"':
            case '\\':
            case '/':
                return c;
            default:
                throw wrong("an escape");
        }
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw wrong("a value");
        }
        at += word.length();
        return value;
    }

    private Object number() {
        int start = at;
        boolean whole = true;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            whole &= ".eE".indexOf(text.charAt(at)) < 0;
            at++;
        }
        String digits = text.substring(start, at);
        try {
            if (whole) {
                return Long.valueOf(digits);
            }
            return Double.valueOf(digits);
        } catch (NumberFormatException e) {
            throw wrong("a value");
        }
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private boolean take(char c) {
        boolean there = at < text.length() && text.charAt(at) == c;
        at += there ? 1 : 0;
        return there;
    }

    private void expect(char c) {
        if (!take(c)) {
            throw wrong("'" + c + "'");
        }
    }

    private IllegalArgumentException wrong(String expected) {
        return new IllegalArgumentException("no JSON: expected " + expected + " at character " + at);
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Map<?, ?> object) {
            char before = '{';
            for (Map.Entry<?, ?> field : object.entrySet()) {
                out.append(before);
                before = ',';
                quote((String) field.getKey(), out);
                out.append(':');
                write(field.getValue(), out);
            }
            out.append(before == '{' ? "{}" : "}");
        } else if (value instanceof Iterable<?> array) {
            char before = '[';
            for (Object element : array) {
                out.append(before);
                before = ',';
                write(element, out);
            }
            out.append(before == '[' ? "[]" : "]");
        } else if (value instanceof CharSequence string) {
            quote(string, out);
        } else {
            out.append(value);
        }
    }

    /** Halves of surrogate pairs are escaped, because UTF-8 has no form for one alone. */
    private static void quote(CharSequence string, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c == '\n') {
                out.append("\\n");
            } else if (c < ' ' || isLoneSurrogate(string, i)) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    private static boolean isLoneSurrogate(CharSequence string, int i) {
        char c = string.charAt(i);
        if (Character.isHighSurrogate(c)) {
            return i + 1 >= string.length() || !Character.isLowSurrogate(string.charAt(i + 1));
        }
        return Character.isLowSurrogate(c) && (i == 0 || !Character.isHighSurrogate(string.charAt(i - 1)));
    }
}
