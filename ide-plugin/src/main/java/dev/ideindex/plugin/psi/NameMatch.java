package dev.ideindex.plugin.psi;

import java.util.Locale;

/** How well a name fits what a person typed: whole, at the start, by its humps, somewhere inside. */
final class NameMatch {
    private final String pattern;
    private final String lower;

    NameMatch(String pattern) {
        this.pattern = pattern;
        this.lower = pattern.toLowerCase(Locale.ROOT);
    }

    /** 0 for no match; more is better. */
    int degree(String name) {
        if (name.equals(pattern)) {
            return 6;
        }
        String other = name.toLowerCase(Locale.ROOT);
        if (other.equals(lower)) {
            return 5;
        }
        if (other.startsWith(lower)) {
            return name.startsWith(pattern) ? 4 : 3;
        }
        return humps(name, 0, 0) ? 2 : other.contains(lower) ? 1 : 0;
    }

    /** {@code FBB} and {@code fooBaBa} fit {@code FooBarBaz}: each part of the pattern begins a word of the name. */
    private boolean humps(String name, int from, int at) {
        if (at == lower.length()) {
            return true;
        }
        for (int start = from; start < name.length(); start++) {
            if (!beginsWord(name, start)) {
                continue;
            }
            int length = 0;
            while (at + length < lower.length() && start + length < name.length()
                    && Character.toLowerCase(name.charAt(start + length)) == lower.charAt(at + length)) {
                length++;
            }
            for (; length > 0; length--) {
                if (humps(name, start + length, at + length)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean beginsWord(String name, int at) {
        char c = name.charAt(at);
        return at == 0 || Character.isUpperCase(c) && !Character.isUpperCase(name.charAt(at - 1))
                || Character.isLetterOrDigit(c) && !Character.isLetterOrDigit(name.charAt(at - 1))
                || Character.isUpperCase(c) && at + 1 < name.length() && Character.isLowerCase(name.charAt(at + 1));
    }
}
